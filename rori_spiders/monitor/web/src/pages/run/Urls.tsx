import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { Select, FilterBar, SearchBox } from '@/components/forms/filters'
import { InfiniteList } from '@/components/data/InfiniteList'
import { SafeLink } from '@/components/data/SafeLink'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { command } from '@/lib/command'

const route = getRouteApi('/runs/$runId')
const STATES = ['pending', 'captured', 'unchanged', 'excluded', 'failed', 'gone'] as const

/** Every URL that the run discovered, and what became of it; of those that lists name outside the scope, how many they are. */
export function Urls({ runId, listed }: { runId: string; listed: readonly Schemas['ListedUrls'][] }) {
  const { state, q } = route.useSearch()
  const navigate = route.useNavigate()
  const chosen = STATES.find((one) => one === state)
  const set = useCallback((changed: { state?: string; q?: string }) => void navigate({ search: (now) => ({ ...now, ...changed }), replace: true }), [navigate])
  const find = useCallback((text: string | undefined) => set({ q: text }), [set])
  const urls = useInfiniteQuery({
    queryKey: ['run', runId, 'urls', chosen, q],
    queryFn: ({ pageParam, signal }) =>
      unwrap(api.GET('/api/v1/runs/{run_id}/urls', { params: { path: { run_id: runId }, query: { state: chosen && [chosen], q, after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <Card title="URLs">
      <FilterBar set={Number(!!chosen) + Number(!!q)} clear={() => set({ state: undefined, q: undefined })}>
        <Select label="State" value={chosen} options={STATES} pick={(word) => set({ state: word })} />
        <SearchBox label="Find" value={q} find={find} hint="part of the URL" />
      </FilterBar>
      <InfiniteList query={urls} what="the URLs">
        {(items) => (items.length ? <Table caption="URLs" columns={COLUMNS} rows={items} id={(one) => `${one.kind} ${one.url}`} /> : <EmptyState title="No matching URLs." />)}
      </InfiniteList>
      {listed.length > 0 && (
        <>
          <h3 className="mt-4 mb-1 font-semibold">Counted with the lists that name them</h3>
          <Table caption="Counted with the lists that name them" columns={LISTED} rows={listed} id={(one) => `${one.list_url} ${one.kind} ${one.reason}`} />
          <p className="mt-1 text-sm text-quiet">
            To find one of them, run <code>{command('audit --url URL')}</code>
          </p>
        </>
      )}
    </Card>
  )
}

const COLUMNS: Column<Schemas['RunUrl']>[] = [
  { key: 'url', title: 'URL', cell: Address },
  { key: 'state', title: 'State', cell: (one) => <StateBadge state={one.state} /> },
  { key: 'why', title: 'Reason', cell: (one) => one.reason && <span className="[overflow-wrap:anywhere]">{one.reason}</span> },
  { key: 'tier', title: 'Tier', cell: (one) => one.tier ?? '–' },
  { key: 'found', title: 'Found by', cell: (one) => one.found_by },
  { key: 'more', title: 'Details', cell: More },
]

const LISTED: Column<Schemas['ListedUrls']>[] = [
  { key: 'list', title: 'List', cell: (one) => <SafeLink url={one.list_url} /> },
  { key: 'reason', title: 'Reason', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.reason}</span> },
  { key: 'urls', title: 'URLs', end: true, cell: (one) => one.urls.toLocaleString() },
]

/** Only pages count in the sum of a run: what else it asked for says what it is. */
function Address(one: Schemas['RunUrl']) {
  return (
    <>
      <SafeLink url={one.url} /> {one.kind !== 'page' && <Badge tone="idle">{one.kind}</Badge>}
    </>
  )
}

function More(one: Schemas['RunUrl']) {
  return (
    <span className="flex gap-3">
      {one.page_id !== null && (
        <Link to="/pages/$pageId" params={{ pageId: String(one.page_id) }} className="text-accent underline" aria-label={`page: ${one.url}`}>
          page
        </Link>
      )}
      {one.audit_id !== null && one.state !== 'captured' && one.state !== 'unchanged' && (
        <Link to="/failures/$auditId" params={{ auditId: String(one.audit_id) }} className="text-accent underline" aria-label={`outcome: ${one.url}`}>
          outcome
        </Link>
      )}
    </span>
  )
}
