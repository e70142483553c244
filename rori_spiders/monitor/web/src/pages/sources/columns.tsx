import { Badge, StateBadge } from '@/components/feedback/Badge'
import { DailyBars } from '@/components/data/DailyBars'
import { CopyButton } from '@/components/forms/CopyButton'
import { SourceLink } from '@/components/data/SourceLink'
import type { Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import type { SourceRow } from './queries'

/** What the list says of a source. */
export const COLUMNS: Column<SourceRow>[] = [
  { key: 'name', title: 'Source', sort: 'name', cell: (row) => <Name row={row} /> },
  {
    key: 'status',
    title: 'Status',
    sort: 'status',
    cell: (row) => (
      <div className="grid justify-items-end gap-1 md:justify-items-start">
        <StateBadge state={row.status} />
        {row.why && <span className="max-w-56 text-xs text-quiet">{row.why}</span>}
        {row.open_alerts > 0 && <Badge tone="bad">{row.open_alerts === 1 ? '1 alert' : `${row.open_alerts} alerts`}</Badge>}
      </div>
    ),
  },
  { key: 'last', title: 'Last run', sort: 'last_run', cell: (row) => <Last run={row.last_run} /> },
  {
    key: 'next',
    title: 'Next run',
    sort: 'next_due',
    wide: true,
    cell: (row) => (row.is_due ? 'due' : <Time at={row.next_due} relative none="not scheduled" />),
  },
  { key: 'tier', title: 'Tier', wide: true, cell: (row) => row.tier ?? <span className="text-quiet">–</span> },
  { key: 'pages', title: 'Pages', sort: 'pages', end: true, wide: true, cell: (row) => row.pages.toLocaleString() },
  {
    key: 'changes',
    title: 'Changes, 30 days',
    sort: 'changes',
    wide: true,
    cell: (row) => (
      <span className="flex items-center gap-2 whitespace-nowrap tabular-nums">
        <DailyBars counts={row.changes} says={`${row.changed_30d} changes in the last 30 days`} />
        <span aria-hidden="true">{row.changed_30d.toLocaleString()}</span>
      </span>
    ),
  },
  { key: 'hash', title: 'Hash', wide: true, cell: (row) => <CopyButton value={row.hash} what={`hash of ${row.id}`} /> },
]

function Name({ row: { id, name, agency, domain } }: { row: SourceRow }) {
  return (
    <div className="min-w-48">
      <SourceLink id={id} className="font-medium">
        {name}
      </SourceLink>
      <div className="text-xs text-quiet [overflow-wrap:anywhere]">
        {id} · {agency ? `${agency} · ` : ''}
        {domain}
      </div>
    </div>
  )
}

function Last({ run }: { run: SourceRow['last_run'] }) {
  if (!run) return <span className="text-quiet">never</span>
  return (
    <div className="max-md:flex max-md:flex-wrap max-md:items-baseline max-md:gap-x-2 max-md:text-xs">
      <Time at={run.started_at} relative />
      <div className="max-w-64 text-xs text-quiet">{run.outcome}</div>
    </div>
  )
}
