import { Card } from '@/components/layout/Card'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import type { PageDetail } from '@/pages/corpus/types'

type Said = PageDetail['overrides'][number]

/** All that people ever said of this address, in this run and others. */
export function History({ page }: { page: PageDetail }) {
  return (
    <Card title="Manual decisions">
      {page.overrides.length ? <Table caption="Manual decisions" columns={COLUMNS} rows={page.overrides} id={(one) => one.at + one.reason} /> : <EmptyState title="Decided automatically by rules." />}
    </Card>
  )
}

const COLUMNS: Column<Said>[] = [
  { key: 'at', title: 'Time', cell: (one) => <Time at={one.at} /> },
  { key: 'by', title: 'User', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.by}</span> },
  { key: 'decision', title: 'Decision', cell: (one) => one.decision ?? 'cleared' },
  { key: 'why', title: 'Reason', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.reason}</span> },
]
