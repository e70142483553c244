import { Link } from '@tanstack/react-router'
import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { EmptyState } from '@/components/feedback/states'
import { Steps } from '@/components/data/Steps'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

type Try = Schemas['PageTry']

/** How each run ended with this page, newest first. */
export function Attempts({ tries }: { tries: readonly Try[] }) {
  if (!tries.length) return <EmptyState title="Never requested." />
  return <Table caption="Attempts" columns={COLUMNS} rows={tries} id={(one) => String(one.audit_id)} />
}

const COLUMNS: Column<Try>[] = [
  { key: 'at', title: 'Time', cell: (one) => <Time at={one.at} /> },
  { key: 'state', title: 'State', cell: (one) => <StateBadge state={one.state} /> },
  { key: 'status', title: 'HTTP', cell: (one) => one.http_status ?? '–' },
  { key: 'tier', title: 'Tier', cell: (one) => one.tier },
  {
    key: 'why',
    title: 'Reason',
    cell: (one) => (
      <>
        <span className="[overflow-wrap:anywhere]">{one.reason ?? one.error}</span>
        <Steps steps={one.steps} />
      </>
    ),
  },
  {
    key: 'more',
    title: 'Details',
    cell: (one) =>
      one.state !== 'captured' && one.state !== 'unchanged' && (
        <Link to="/failures/$auditId" params={{ auditId: String(one.audit_id) }} className="text-accent underline">
          outcome
        </Link>
      ),
  },
]
