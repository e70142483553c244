import { useInfiniteQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { InfiniteList } from '@/components/data/InfiniteList'
import { SafeLink } from '@/components/data/SafeLink'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

type Deed = Schemas['Action']

/** Who did what to a domain's corpus. */
export function ActivityLog({ domain }: { domain: string }) {
  const deeds = useInfiniteQuery({
    queryKey: ['actions', 'corpus', domain],
    queryFn: ({ pageParam, signal }) => unwrap(api.GET('/api/v1/actions', { params: { query: { q: `corpus ${domain}`, after: pageParam, limit: 20 } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <Card title="Activity log">
      <InfiniteList query={deeds} what="the activity log">
        {(items) => (items.length ? <Table caption="Activity log" columns={COLUMNS} rows={items} id={(deed) => String(deed.action_id)} /> : <EmptyState title="No actions yet." />)}
      </InfiniteList>
    </Card>
  )
}

const COLUMNS: Column<Deed>[] = [
  { key: 'at', title: 'Time', cell: (deed) => <Time at={deed.at} /> },
  { key: 'actor', title: 'User', cell: (deed) => <span className="[overflow-wrap:anywhere]">{deed.actor}</span> },
  { key: 'action', title: 'Action', cell: (deed) => deed.action.replace(/^corpus_/, '').replaceAll('_', ' ') },
  { key: 'page', title: 'Page', cell: ({ details }) => typeof details?.url === 'string' && <SafeLink url={details.url} /> },
  { key: 'why', title: 'Reason', cell: (deed) => deed.reason && <span className="[overflow-wrap:anywhere]">{deed.reason}</span> },
]
