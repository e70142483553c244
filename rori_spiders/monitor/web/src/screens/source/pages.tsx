import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback } from 'react'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { StateBadge } from '@/parts/badge'
import { Choice, FilterBar, SearchBox } from '@/parts/filters'
import { SafeLink } from '@/parts/link'
import { Loaded } from '@/parts/loaded'
import { Paging } from '@/parts/paging'
import { Empty } from '@/parts/states'
import { Table, type Column } from '@/parts/table'
import { Time } from '@/parts/time'

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
    queryFn: ({ signal }) => answer(api.GET('/api/sources/{source_id}/pages', { params: { path: { source_id: id }, query: { state: chosen && [chosen], q, offset: from, limit: LIMIT } }, signal })),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Counts pages={pages.data?.states} />
      <FilterBar set={Number(!!chosen) + Number(!!q)} clear={() => set({ state: undefined, q: undefined })}>
        <Choice label="State" value={chosen} options={STATES} pick={(word) => set({ state: word })} />
        <SearchBox label="Find" value={q} find={find} hint="address or title" />
      </FilterBar>
      <Loaded query={pages} what="the pages">
        {({ items, total }) =>
          items.length ? (
            <>
              <Table caption="Pages" columns={COLUMNS} rows={items} id={(page) => page.url} busy={pages.isPlaceholderData} />
              <Paging offset={from} limit={LIMIT} total={total} go={(to) => set({ offset: String(to) })} />
            </>
          ) : (
            <Empty title={chosen || q ? 'No page is like that.' : 'No page is known yet.'}>{chosen || q ? 'Clear the filters to see all.' : 'Run the source once.'}</Empty>
          )
        }
      </Loaded>
    </>
  )
}

function Counts({ pages }: { pages: Record<string, number> | undefined }) {
  if (!pages) return null
  const told = STATES.filter((state) => pages[state])
  return <p className="mb-3 text-sm text-quiet">{told.map((state) => `${(pages[state] ?? 0).toLocaleString()} ${state}`).join(', ')}</p>
}

type Page = schemas['PageFacts']

const COLUMNS: Column<Page>[] = [
  {
    key: 'page',
    title: 'Page',
    cell: (page) => (
      <div className="min-w-0 md:min-w-80">
        {page.page_id !== null && (
          <Link to="/pages/$pageId" params={{ pageId: String(page.page_id) }} className="text-accent underline [overflow-wrap:anywhere]">
            {page.title || 'Without a title'}
          </Link>
        )}
        <div className="text-xs">
          <SafeLink url={page.url} />
        </div>
      </div>
    ),
  },
  { key: 'state', title: 'State', cell: (page) => <StateBadge state={page.state} /> },
  { key: 'reason', title: 'Why', cell: (page) => page.reason && <span className="[overflow-wrap:anywhere]">{page.reason}</span> },
  { key: 'checked', title: 'Last check', cell: (page) => <Time at={page.last_checked_at} relative /> },
  { key: 'changed', title: 'Last change', cell: (page) => <Time at={page.last_changed_at} relative /> },
  { key: 'more', title: 'More', cell: Ended },
]

/** Of what was not captured: the response that was the reason, and what was tried. */
function Ended(page: Page) {
  if (page.audit_id === null || page.state === 'captured') return null
  return (
    <Link to="/failures/$auditId" params={{ auditId: String(page.audit_id) }} className="whitespace-nowrap text-accent underline" aria-label={`how it ended: ${page.url}`}>
      how it ended
    </Link>
  )
}
