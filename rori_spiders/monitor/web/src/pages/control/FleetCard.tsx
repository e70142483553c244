import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { InlineCode } from '@/components/data/InlineCode'
import { Table, type Column } from '@/components/data/Table'
import { StateBadge } from '@/components/feedback/Badge'
import { QueryView } from '@/components/feedback/QueryView'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'

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
        {({ checks }) => <Checks bad={checks.filter(({ result }) => result !== 'ok')} good={checks.filter(({ result }) => result === 'ok')} />}
      </QueryView>
    </Card>
  )
}

function Checks({ bad, good }: { bad: readonly Check[]; good: readonly Check[] }) {
  return (
    <div className="grid gap-3">
      {bad.length > 0 && <Table caption="Fleet, warnings" columns={[...COLUMNS, TO_DO]} rows={bad} id={(one) => one.check} />}
      <details className="text-sm">
        <summary className="text-quiet">{pluralize(good.length, 'check')} OK</summary>
        <Table caption="Fleet" columns={COLUMNS} rows={good} id={(one) => one.check} />
      </details>
    </div>
  )
}

const COLUMNS: Column<Check>[] = [
  { key: 'check', title: 'Check', cell: (one) => one.check },
  { key: 'result', title: 'Result', cell: (one) => <StateBadge state={one.result} /> },
  { key: 'found', title: 'Found', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.found}</span> },
]

const TO_DO: Column<Check> = { key: 'do', title: 'What to do', cell: (one) => one.do && <InlineCode text={one.do} /> }
