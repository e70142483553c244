import { Link } from '@tanstack/react-router'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { SafeLink } from '@/components/data/SafeLink'
import { SourceLink } from '@/components/data/SourceLink'
import type { Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import type { FailureCause } from './queries'

const CONSEQUENCES = {
  held: 'Its text is held, but could not be checked.',
  start: 'Start URL of its source.',
  dead_link: 'A dead link; never held.',
  temporary: 'Never held; the next run asks again.',
  never_held: 'Never held.',
} as const

/** A cause: what it means, where, how often and since when. */
export const CAUSE_COLUMNS: Column<FailureCause>[] = [
  { key: 'severity', title: 'Severity', cell: (row) => (row.resolved_at ? <Badge tone="good">resolved</Badge> : <StateBadge state={row.severity} />) },
  { key: 'source', title: 'Source', cell: (row) => <SourceLink id={row.source_id} className="md:inline-block md:min-w-28" /> },
  { key: 'page', title: 'Page and reason', whole: true, cell: (row) => <Reason row={row} /> },
  { key: 'consequence', title: 'Consequence', whole: true, cell: (row) => <ConsequenceCell row={row} /> },
  { key: 'number', title: 'Failed', end: true, cell: (row) => `${row.number.toLocaleString()} ×` },
  { key: 'first', title: 'First', cell: (row) => <Time at={row.first_at} /> },
  { key: 'last', title: 'Last', cell: (row) => <LastFailure row={row} /> },
]

function Reason({ row: { url, message } }: { row: FailureCause }) {
  return (
    <div className="max-w-xl md:min-w-72">
      <SafeLink url={url} />
      <p className="[overflow-wrap:anywhere]">{message}</p>
    </div>
  )
}

function ConsequenceCell({ row: { consequence, page_id, last_seen_at, resolved_at } }: { row: FailureCause }) {
  if (resolved_at)
    return (
      <>
        None since <Time at={resolved_at} />.
      </>
    )
  if (consequence !== 'held' || page_id === null) return CONSEQUENCES[consequence]
  const path: string = `/pages/${page_id}`
  return (
    <>
      {CONSEQUENCES[consequence]} Last seen{' '}
      <Link to={path} className="text-accent underline decoration-line underline-offset-2 hover:decoration-current">
        <Time at={last_seen_at} />
      </Link>
      .
    </>
  )
}

function LastFailure({ row }: { row: FailureCause }) {
  const path: string = `/failures/${row.audit_id}`
  return (
    <Link to={path} className="text-accent underline decoration-line underline-offset-2 hover:decoration-current">
      <Time at={row.last_at} />
      <span className="sr-only">: failure details</span>
    </Link>
  )
}
