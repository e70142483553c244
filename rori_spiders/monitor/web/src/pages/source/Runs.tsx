import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { InfiniteList } from '@/components/data/InfiniteList'
import { formatDuration } from '@/lib/dates'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

/** The runs of a source, newest first. */
export function Runs({ id }: { id: string }) {
  const runs = useInfiniteQuery({
    queryKey: ['source', id, 'runs'],
    queryFn: ({ pageParam, signal }) => unwrap(api.GET('/api/v1/sources/{source_id}/runs', { params: { path: { source_id: id }, query: { after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
  })
  return (
    <InfiniteList query={runs} what="the runs">
      {(items) => (items.length ? <Table caption="Runs" columns={COLUMNS} rows={items} id={(run) => run.run_id} /> : <EmptyState title="No runs yet.">An operator can start one above.</EmptyState>)}
    </InfiniteList>
  )
}

type Run = Schemas['Run']

const COLUMNS: Column<Run>[] = [
  {
    key: 'started',
    title: 'Started',
    cell: (run) => (
      <Link to="/runs/$runId" params={{ runId: run.run_id }} className="text-accent underline">
        <Time at={run.started_at} />
      </Link>
    ),
  },
  { key: 'state', title: 'State', cell: (run) => <StateBadge state={run.state} /> },
  { key: 'lasted', title: 'Duration', cell: (run) => (run.ended_at ? formatDuration(run.started_at, run.ended_at) : '–') },
  { key: 'pages', title: 'Pages', end: true, cell: (run) => run.counts.discovered ?? '–' },
  { key: 'changed', title: 'Changed', end: true, cell: (run) => run.counts.changed ?? '–' },
  { key: 'failed', title: 'Failed', end: true, cell: (run) => run.counts.failed ?? '–' },
  { key: 'requests', title: 'Requests', end: true, cell: (run) => run.requests },
  { key: 'by', title: 'Trigger', cell: (run) => (run.operator === 'manual' ? 'manual' : 'schedule') },
  { key: 'why', title: 'Outcome', cell: (run) => <span className="[overflow-wrap:anywhere]">{run.outcome}</span> },
]
