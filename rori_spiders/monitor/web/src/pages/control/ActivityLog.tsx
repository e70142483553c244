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
    queryFn: ({ pageParam, signal }) => unwrap(api.GET('/api/v1/actions', { params: { query: { q, after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <Card title="Activity log">
      <div className="mb-3 max-w-sm">
        <SearchBox label="Search the log" value={q} find={find} hint="user, source, job, manifest or reason" />
      </div>
      <InfiniteList query={deeds} what="the activity log">
        {(items) =>
          items.length ? (
            <Table caption="Activity log" columns={COLUMNS} rows={items} id={(deed) => String(deed.action_id)} />
          ) : (
            <EmptyState title={q ? 'No matching actions.' : 'No actions yet.'} />
          )
        }
      </InfiniteList>
    </Card>
  )
}

/** To what it was done: a job is named by its sources, another moment by the moment. */
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
  { key: 'actor', title: 'User', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.actor}</span> },
  { key: 'action', title: 'Action', cell: (deed) => deed.action.replaceAll('_', ' ') },
  { key: 'target', title: 'Target', cell: (deed) => <To deed={deed} /> },
  { key: 'reason', title: 'Reason', cell: (deed) => deed.reason && <span className="[overflow-wrap:anywhere]">{deed.reason}</span> },
]
