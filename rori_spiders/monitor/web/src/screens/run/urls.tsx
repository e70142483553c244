import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { Badge, StateBadge } from '@/parts/badge'
import { Card } from '@/parts/card'
import { Choice, FilterBar, SearchBox } from '@/parts/filters'
import { Followed } from '@/parts/followed'
import { SafeLink } from '@/parts/link'
import { Empty } from '@/parts/states'
import { Table, type Column } from '@/parts/table'

const route = getRouteApi('/runs/$runId')
const STATES = ['pending', 'captured', 'unchanged', 'excluded', 'failed', 'gone'] as const

/** Every URL that the run discovered, and what became of it. */
export function Urls({ runId }: { runId: string }) {
  const { state, q } = route.useSearch()
  const navigate = route.useNavigate()
  const chosen = STATES.find((one) => one === state)
  const set = useCallback((changed: { state?: string; q?: string }) => void navigate({ search: (now) => ({ ...now, ...changed }), replace: true }), [navigate])
  const find = useCallback((text: string | undefined) => set({ q: text }), [set])
  const urls = useInfiniteQuery({
    queryKey: ['run', runId, 'urls', chosen, q],
    queryFn: ({ pageParam, signal }) =>
      answer(api.GET('/api/runs/{run_id}/urls', { params: { path: { run_id: runId }, query: { state: chosen && [chosen], q, after: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    placeholderData: keepPreviousData,
  })
  return (
    <Card title="URLs">
      <FilterBar set={Number(!!chosen) + Number(!!q)} clear={() => set({ state: undefined, q: undefined })}>
        <Choice label="State" value={chosen} options={STATES} pick={(word) => set({ state: word })} />
        <SearchBox label="Find" value={q} find={find} hint="part of the address" />
      </FilterBar>
      <Followed query={urls} what="the URLs">
        {(items) => (items.length ? <Table caption="URLs" columns={COLUMNS} rows={items} id={(one) => `${one.kind} ${one.url}`} /> : <Empty title="No URL is like that." />)}
      </Followed>
    </Card>
  )
}

const COLUMNS: Column<schemas['RunUrl']>[] = [
  { key: 'url', title: 'URL', cell: Address },
  { key: 'state', title: 'State', cell: (one) => <StateBadge state={one.state} /> },
  { key: 'why', title: 'Why', cell: (one) => one.reason && <span className="[overflow-wrap:anywhere]">{one.reason}</span> },
  { key: 'tier', title: 'Tier', cell: (one) => one.tier ?? '–' },
  { key: 'found', title: 'Found by', cell: (one) => one.found_by },
  { key: 'more', title: 'More', cell: More },
]

/** Only pages count in the sum of a run: what else it asked for says what it is. */
function Address(one: schemas['RunUrl']) {
  return (
    <>
      <SafeLink url={one.url} /> {one.kind !== 'page' && <Badge tone="idle">{one.kind}</Badge>}
    </>
  )
}

function More(one: schemas['RunUrl']) {
  return (
    <span className="flex gap-3">
      {one.page_id !== null && (
        <Link to="/pages/$pageId" params={{ pageId: String(one.page_id) }} className="text-accent underline" aria-label={`page: ${one.url}`}>
          page
        </Link>
      )}
      {one.audit_id !== null && one.state !== 'captured' && one.state !== 'unchanged' && (
        <Link to="/failures/$auditId" params={{ auditId: String(one.audit_id) }} className="text-accent underline" aria-label={`how it ended: ${one.url}`}>
          how it ended
        </Link>
      )}
    </span>
  )
}
