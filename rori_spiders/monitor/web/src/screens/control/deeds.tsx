import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { answer, api } from '@/api/client'
import { Card } from '@/parts/card'
import { SearchBox } from '@/parts/filters'
import { Followed } from '@/parts/followed'
import { Empty } from '@/parts/states'
import { Table, type Column } from '@/parts/table'
import { Time } from '@/parts/time'
import { Named } from './named'
import type { Deed } from './shapes'

const route = getRouteApi('/control')

/** Who did what and when. */
export function Deeds() {
  const { q } = route.useSearch()
  const navigate = route.useNavigate()
  const find = useCallback((text: string | undefined) => void navigate({ search: (now) => ({ ...now, q: text }), replace: true }), [navigate])
  const deeds = useInfiniteQuery({
    queryKey: ['actions', q],
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/actions', { params: { query: { q, after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <Card title="Who did what">
      <div className="mb-3 max-w-sm">
        <SearchBox label="Find in it" value={q} find={find} hint="a person, source, job, manifest or reason" />
      </div>
      <Followed query={deeds} what="what was done">
        {(items) =>
          items.length ? (
            <Table caption="Who did what" columns={COLUMNS} rows={items} id={(deed) => String(deed.action_id)} />
          ) : (
            <Empty title={q ? 'Nothing of that was done.' : 'Nobody has done anything yet.'} />
          )
        }
      </Followed>
    </Card>
  )
}

/** To what it was done: a job is told by its sources, another moment by the moment. */
function To({ deed: { action, target, details } }: { deed: Deed }) {
  const sources: unknown = details?.sources
  const at: unknown = details?.at
  return (
    <span className="[overflow-wrap:anywhere]">
      {target === '*' ? 'all sources' : Array.isArray(sources) ? <Named ids={sources.filter((one) => typeof one === 'string')} /> : target}
      {action === 'next_run' && <>: {typeof at === 'string' ? <Time at={at} /> : 'as scheduled'}</>}
    </span>
  )
}

const COLUMNS: Column<Deed>[] = [
  { key: 'at', title: 'When', cell: (deed) => <Time at={deed.at} /> },
  { key: 'actor', title: 'Who', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.actor}</span> },
  { key: 'action', title: 'What', cell: (deed) => deed.action.replaceAll('_', ' ') },
  { key: 'target', title: 'To', cell: (deed) => <To deed={deed} /> },
  { key: 'reason', title: 'Why', cell: (deed) => deed.reason && <span className="[overflow-wrap:anywhere]">{deed.reason}</span> },
]
