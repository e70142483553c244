import { Card } from '@/components/layout/Card'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import type { PageDetail } from '@/pages/corpus/types'

type Said = PageDetail['overrides'][number]

/** All that people ever said of this address, in this run and others. */
export function History({ page }: { page: PageDetail }) {
  return (
    <Card title="What people decided about it">
      {page.overrides.length ? <Table caption="Decisions by people" columns={COLUMNS} rows={page.overrides} id={(one) => one.at + one.reason} /> : <EmptyState title="Nobody has decided about it: rules did." />}
    </Card>
  )
}

const COLUMNS: Column<Said>[] = [
  { key: 'at', title: 'When', cell: (one) => <Time at={one.at} /> },
  { key: 'by', title: 'Who', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.by}</span> },
  { key: 'decision', title: 'Decision', cell: (one) => one.decision ?? 'taken back' },
  { key: 'why', title: 'Why', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.reason}</span> },
]
