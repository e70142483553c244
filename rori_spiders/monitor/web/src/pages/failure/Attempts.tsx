import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'
import { Steps } from '@/components/data/Steps'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

type Attempt = Schemas['Attempt'] & { number: number }
type Call = Schemas['PaidCall'] & { number: number }

function numbered<T>(rows: readonly T[]): (T & { number: number })[] {
  return rows.map((row, place) => ({ ...row, number: place + 1 }))
}

/** Escalation history: each attempt by each tier, in order. */
export function Attempts({ attempts }: { attempts: readonly Schemas['Attempt'][] }) {
  return (
    <Card title="Escalation history">
      <Table caption="Escalation history" columns={ATTEMPTS} rows={numbered(attempts)} id={(one) => String(one.number)} />
    </Card>
  )
}

const ATTEMPTS: Column<Attempt>[] = [
  { key: 'tier', title: 'Tier', cell: (one) => `${one.number}. ${one.tier}` },
  { key: 'at', title: 'Time', cell: (one) => <Time at={one.at} /> },
  { key: 'status', title: 'HTTP', cell: (one) => one.status ?? 'no response' },
  { key: 'verdict', title: 'Verdict', cell: (one) => one.verdict ?? '–' },
  {
    key: 'why',
    title: 'Reason',
    cell: (one) => (
      <>
        {one.reason && <span className="[overflow-wrap:anywhere]">{one.reason}</span>}
        <Steps steps={one.steps} />
      </>
    ),
  },
  { key: 'ms', title: 'Time (ms)', end: true, cell: (one) => one.ms?.toLocaleString() ?? '–' },
  { key: 'credits', title: 'Credits', end: true, cell: (one) => one.credits },
]

/** What was paid for these tries. */
export function Paid({ calls }: { calls: readonly Schemas['PaidCall'][] }) {
  return (
    <Card title="Costs">
      <Table caption="Costs" columns={CALLS} rows={numbered(calls)} id={(one) => String(one.number)} />
    </Card>
  )
}

const CALLS: Column<Call>[] = [
  { key: 'provider', title: 'Provider', cell: (one) => one.provider },
  { key: 'reserved', title: 'Reserved', end: true, cell: (one) => pluralize(one.reserved, one.unit) },
  { key: 'settled', title: 'Settled', end: true, cell: (one) => (one.settled === null ? 'pending' : pluralize(one.settled, one.unit)) },
  { key: 'usd', title: 'USD', end: true, cell: (one) => one.usd?.toFixed(4) ?? '–' },
  { key: 'at', title: 'Time', cell: (one) => <Time at={one.reserved_at} /> },
]
