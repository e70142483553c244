import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { Select, FilterBar, SearchBox } from '@/components/forms/filters'
import { SafeLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { Paging } from '@/components/data/Paging'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

const route = getRouteApi('/sources/$id')
const LIMIT = 50
const STATES = ['captured', 'excluded', 'failed', 'refused', 'gone', 'held', 'pending', 'unknown'] as const

/** The pages of a source with their states; those that are not captured say why. */
export function Pages({ id }: { id: string }) {
  const { state, q, offset } = route.useSearch()
  const navigate = route.useNavigate()
  const from = Math.max(0, Number.parseInt(offset ?? '0', 10) || 0)
  const set = useCallback(
    (changed: { state?: string; q?: string; offset?: string }) => void navigate({ search: (now) => ({ ...now, offset: undefined, ...changed }), replace: true }),
    [navigate],
  )
  const find = useCallback((text: string | undefined) => set({ q: text }), [set])
  const chosen = STATES.find((one) => one === state)
  const pages = useQuery({
    queryKey: ['source', id, 'pages', chosen, q, from],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources/{source_id}/pages', { params: { path: { source_id: id }, query: { state: chosen && [chosen], q, offset: from, limit: LIMIT } }, signal })),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Counts pages={pages.data?.states} />
      <FilterBar set={Number(!!chosen) + Number(!!q)} clear={() => set({ state: undefined, q: undefined })}>
        <Select label="State" value={chosen} options={STATES} pick={(word) => set({ state: word })} />
        <SearchBox label="Find" value={q} find={find} hint="URL or title" />
      </FilterBar>
      <QueryView query={pages} what="the pages">
        {({ items, total }) =>
          items.length ? (
            <>
              <Table caption="Pages" columns={COLUMNS} rows={items} id={(page) => page.url} busy={pages.isPlaceholderData} />
              <Paging offset={from} limit={LIMIT} total={total} go={(to) => set({ offset: String(to) })} />
            </>
          ) : (
            <EmptyState title={chosen || q ? 'No matching pages.' : 'No pages yet.'}>{chosen || q ? 'Clear the filters to see all pages.' : 'Run the source to discover its pages.'}</EmptyState>
          )
        }
      </QueryView>
    </>
  )
}

function Counts({ pages }: { pages: Record<string, number> | undefined }) {
  if (!pages) return null
  const present = STATES.filter((state) => pages[state])
  return <p className="mb-3 text-sm text-quiet">{present.map((state) => `${(pages[state] ?? 0).toLocaleString()} ${state}`).join(', ')}</p>
}

type Page = Schemas['PageFacts']

const COLUMNS: Column<Page>[] = [
  {
    key: 'page',
    title: 'Page',
    cell: (page) => (
      <div className="min-w-0 md:min-w-80">
        {page.page_id !== null && (
          <Link to="/pages/$pageId" params={{ pageId: String(page.page_id) }} className="text-accent underline [overflow-wrap:anywhere]">
            {page.title || 'Untitled'}
          </Link>
        )}
        <div className="text-xs">
          <SafeLink url={page.url} />
        </div>
      </div>
    ),
  },
  {
    key: 'state',
    title: 'State',
    cell: (page) => (
      <span className="inline-flex flex-wrap gap-1">
        <StateBadge state={page.state} />
        {page.has_unread_pages && <Badge tone="warn">pages not read</Badge>}
      </span>
    ),
  },
  { key: 'reason', title: 'Reason', cell: (page) => page.reason && <span className="[overflow-wrap:anywhere]">{page.reason}</span> },
  { key: 'checked', title: 'Last checked', cell: (page) => <Time at={page.last_checked_at} relative /> },
  { key: 'changed', title: 'Last changed', cell: (page) => <Time at={page.last_changed_at} relative /> },
  { key: 'more', title: 'Details', cell: Ended },
]

/** Of what was not captured: the response that was the reason, and what was tried. */
function Ended(page: Page) {
  if (page.audit_id === null || page.state === 'captured') return null
  return (
    <Link to="/failures/$auditId" params={{ auditId: String(page.audit_id) }} className="whitespace-nowrap text-accent underline" aria-label={`outcome: ${page.url}`}>
      outcome
    </Link>
  )
}
