import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

/** The robots.txt files that the run went by. */
export function RobotsCard({ robots }: { robots: readonly Schemas['Robots'][] }) {
  return (
    <Card title="robots.txt">
      <Table caption="robots.txt" columns={COLUMNS} rows={robots} id={(one) => one.origin} />
    </Card>
  )
}

const COLUMNS: Column<Schemas['Robots']>[] = [
  { key: 'origin', title: 'Server', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.origin}</span> },
  { key: 'outcome', title: 'Rules', cell: (one) => one.outcome.replaceAll('_', ' ') },
  { key: 'status', title: 'HTTP', cell: (one) => one.status ?? 'no response' },
  { key: 'delay', title: 'Crawl-delay', cell: (one) => (one.crawl_delay_s === null ? '–' : `${one.crawl_delay_s} s`) },
  { key: 'at', title: 'Fetched', cell: (one) => <Time at={one.fetched_at} /> },
  { key: 'why', title: 'Reason', cell: (one) => one.reason && <span className="[overflow-wrap:anywhere]">{one.reason}</span> },
]
