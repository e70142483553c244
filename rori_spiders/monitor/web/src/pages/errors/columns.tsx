import { Link } from '@tanstack/react-router'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { SafeLink } from '@/components/data/SafeLink'
import { SourceLink } from '@/components/data/SourceLink'
import type { Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import type { Failure } from './queries'

/** What the error log says of a failure. */
export const COLUMNS: Column<Failure>[] = [
  { key: 'at', title: 'Time', cell: (row) => <When row={row} /> },
  { key: 'severity', title: 'Severity', cell: (row) => <StateBadge state={row.severity} /> },
  { key: 'source', title: 'Source', cell: (row) => <SourceLink id={row.source_id} className="md:inline-block md:min-w-28" /> },
  { key: 'page', title: 'Page and reason', whole: true, cell: (row) => <Why row={row} /> },
  { key: 'status', title: 'HTTP', cell: (row) => row.http_status ?? <span className="text-quiet">no response</span> },
  { key: 'verdict', title: 'Verdict', cell: (row) => row.verdict ?? <span className="text-quiet">–</span> },
  { key: 'tier', title: 'Tier', wide: true, cell: (row) => row.tier },
  { key: 'retries', title: 'Retries', end: true, wide: true, cell: (row) => row.retries },
  { key: 'resolved', title: 'Resolved', cell: (row) => (row.resolved ? <Resolved at={row.resolved_at} /> : <Badge tone="idle">no</Badge>) },
]

function When({ row }: { row: Failure }) {
  const path: string = `/failures/${row.audit_id}`
  return (
    <Link to={path} className="text-accent underline decoration-line underline-offset-2 hover:decoration-current">
      <Time at={row.at} />
      <span className="sr-only">: failure details</span>
    </Link>
  )
}

function Why({ row: { url, message, error } }: { row: Failure }) {
  return (
    <div className="max-w-xl md:min-w-72">
      <SafeLink url={url} />
      <p className="[overflow-wrap:anywhere]">{message}</p>
      {error && error !== message && <p className="text-xs text-quiet [overflow-wrap:anywhere]">{error}</p>}
    </div>
  )
}

function Resolved({ at }: { at: string | null }) {
  return (
    <span className="inline-grid justify-items-end gap-0.5 md:justify-items-start">
      <Badge tone="good">yes</Badge>
      <span className="text-xs text-quiet">
        <Time at={at} none="" />
      </span>
    </span>
  )
}
