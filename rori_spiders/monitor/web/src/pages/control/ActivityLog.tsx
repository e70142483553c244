import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { unwrap, api } from '@/api/client'
import { Card } from '@/components/layout/Card'
import { SearchBox } from '@/components/forms/filters'
import { InfiniteList } from '@/components/data/InfiniteList'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { SourceLinks } from './SourceLinks'
import type { Action } from './types'

const route = getRouteApi('/control')

/** Who did what and when. */
export function ActivityLog() {
  const { q } = route.useSearch()
  const navigate = route.useNavigate()
  const find = useCallback((text: string | undefined) => void navigate({ search: (now) => ({ ...now, q: text }), replace: true }), [navigate])
  const deeds = useInfiniteQuery({
    queryKey: ['actions', q],
    queryFn: ({ pageParam, signal }) => unwrap(api.GET('/api/actions', { params: { query: { q, after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <Card title="Who did what">
      <div className="mb-3 max-w-sm">
        <SearchBox label="Find in it" value={q} find={find} hint="a person, source, job, manifest or reason" />
      </div>
      <InfiniteList query={deeds} what="what was done">
        {(items) =>
          items.length ? (
            <Table caption="Who did what" columns={COLUMNS} rows={items} id={(deed) => String(deed.action_id)} />
          ) : (
            <EmptyState title={q ? 'Nothing of that was done.' : 'Nobody has done anything yet.'} />
          )
        }
      </InfiniteList>
    </Card>
  )
}

/** To what it was done: a job is told by its sources, another moment by the moment. */
function To({ deed: { action, target, details } }: { deed: Action }) {
  const sources: unknown = details?.sources
  const at: unknown = details?.at
  return (
    <span className="[overflow-wrap:anywhere]">
      {target === '*' ? 'all sources' : Array.isArray(sources) ? <SourceLinks ids={sources.filter((one) => typeof one === 'string')} /> : target}
      {action === 'next_run' && <>: {typeof at === 'string' ? <Time at={at} /> : 'as scheduled'}</>}
    </span>
  )
}

const COLUMNS: Column<Action>[] = [
  { key: 'at', title: 'When', cell: (deed) => <Time at={deed.at} /> },
  { key: 'actor', title: 'Who', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.actor}</span> },
  { key: 'action', title: 'What', cell: (deed) => deed.action.replaceAll('_', ' ') },
  { key: 'target', title: 'To', cell: (deed) => <To deed={deed} /> },
  { key: 'reason', title: 'Why', cell: (deed) => deed.reason && <span className="[overflow-wrap:anywhere]">{deed.reason}</span> },
]
