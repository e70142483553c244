import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { InlineCode } from '@/components/data/InlineCode'
import { Table, type Column } from '@/components/data/Table'
import { StateBadge } from '@/components/feedback/Badge'
import { QueryView } from '@/components/feedback/QueryView'
import { Card } from '@/components/layout/Card'

type Check = Schemas['FleetCheck']

const EVERY_MS = 30_000

/** Nodes, backlog, objectives of service, budgets: what `scrapy doctor --fleet` finds. */
export function FleetCard() {
  const fleet = useQuery({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/fleet', { signal })),
    refetchInterval: EVERY_MS,
  })
  return (
    <Card title="Fleet">
      <QueryView query={fleet} what="the fleet">
        {({ checks }) => <Table caption="Fleet" columns={COLUMNS} rows={checks} id={(one) => one.check} />}
      </QueryView>
    </Card>
  )
}

const COLUMNS: Column<Check>[] = [
  { key: 'check', title: 'Check', cell: (one) => one.check },
  { key: 'result', title: 'Result', cell: (one) => <StateBadge state={one.result} /> },
  { key: 'found', title: 'Found', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.found}</span> },
  { key: 'do', title: 'What to do', cell: (one) => one.do && <InlineCode text={one.do} /> },
]
