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
import type { Deed } from './shapes'

const route = getRouteApi('/control')

/** Who did what and when. */
export function Deeds() {
  const { target } = route.useSearch()
  const navigate = route.useNavigate()
  const find = useCallback((text: string | undefined) => void navigate({ search: (now) => ({ ...now, target: text }), replace: true }), [navigate])
  const deeds = useInfiniteQuery({
    queryKey: ['actions', target],
    queryFn: ({ pageParam, signal }) => answer(api.GET('/api/actions', { params: { query: { target, after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <Card title="Who did what">
      <div className="mb-3 max-w-sm">
        <SearchBox label="Only what was done to" value={target} find={find} hint="id of a source, name of a manifest" />
      </div>
      <Followed query={deeds} what="what was done">
        {(items) =>
          items.length ? (
            <Table caption="Who did what" columns={COLUMNS} rows={items} id={(deed) => String(deed.action_id)} />
          ) : (
            <Empty title={target ? `Nothing was done to ${target}.` : 'Nobody has done anything yet.'} />
          )
        }
      </Followed>
    </Card>
  )
}

const COLUMNS: Column<Deed>[] = [
  { key: 'at', title: 'When', cell: (deed) => <Time at={deed.at} /> },
  { key: 'actor', title: 'Who', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.actor}</span> },
  { key: 'action', title: 'What', cell: (deed) => deed.action.replaceAll('_', ' ') },
  { key: 'target', title: 'To', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.target}</span> },
  { key: 'reason', title: 'Why', cell: (deed) => deed.reason && <span className="[overflow-wrap:anywhere]">{deed.reason}</span> },
]
