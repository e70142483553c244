import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { TierChart } from './TierChart'

/** What a source asked for and what it cost, by month, tier and provider. */
export function Costs({ id }: { id: string }) {
  const costs = useQuery({
    queryKey: ['source', id, 'costs'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources/{source_id}/costs', { params: { path: { source_id: id } }, signal })),
  })
  return (
    <QueryView query={costs} what="the costs">
      {({ tiers, providers, credits, usd }) =>
        tiers.length ? (
          <>
            <Card title="Requests by month and tier" aside={<Sum credits={credits} usd={usd} />}>
              <TierChart months={tiers} />
              <Table caption="Requests by month and tier" columns={TIERS} rows={tiers} id={(row) => `${row.month} ${row.tier}`} />
            </Card>
            {providers.length > 0 && (
              <Card title="Provider costs">
                <Table caption="Provider costs" columns={PROVIDERS} rows={providers} id={(row) => `${row.month} ${row.provider} ${row.unit}`} />
              </Card>
            )}
          </>
        ) : (
          <EmptyState title="No requests in the last 12 months." />
        )
      }
    </QueryView>
  )
}

function Sum({ credits, usd }: { credits: number; usd: number | null }) {
  return (
    <span className="text-sm text-quiet">
      {pluralize(credits, 'credit')}{usd !== null && `, ${usd.toFixed(2)} USD`} in 12 months
    </span>
  )
}

const TIERS: Column<Schemas['TierMonth']>[] = [
  { key: 'month', title: 'Month', cell: (row) => row.month },
  { key: 'tier', title: 'Tier', cell: (row) => row.tier },
  { key: 'requests', title: 'Requests', end: true, cell: (row) => row.requests.toLocaleString() },
  { key: 'pages', title: 'Pages', end: true, cell: (row) => row.pages.toLocaleString() },
  { key: 'failed', title: 'Failed', end: true, cell: (row) => row.failed.toLocaleString() },
  { key: 'retries', title: 'Retries', end: true, cell: (row) => row.retries.toLocaleString() },
  { key: 'credits', title: 'Credits', end: true, cell: (row) => row.credits.toLocaleString() },
]

const PROVIDERS: Column<Schemas['ProviderMonth']>[] = [
  { key: 'month', title: 'Month', cell: (row) => row.month },
  { key: 'provider', title: 'Provider', cell: (row) => row.provider },
  { key: 'calls', title: 'Calls', end: true, cell: (row) => row.calls.toLocaleString() },
  { key: 'unsettled', title: 'Unsettled', end: true, cell: (row) => row.unsettled.toLocaleString() },
  { key: 'amount', title: 'Amount', end: true, cell: (row) => pluralize(row.amount, row.unit) },
  { key: 'usd', title: 'USD', end: true, cell: (row) => (row.usd === null ? '–' : row.usd.toFixed(2)) },
]
