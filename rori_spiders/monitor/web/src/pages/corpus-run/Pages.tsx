import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Select, FilterBar, SearchBox } from '@/components/forms/filters'
import { QueryView } from '@/components/feedback/QueryView'
import { Paging } from '@/components/data/Paging'
import { EmptyState } from '@/components/feedback/states'
import { LIMIT, pagesQuery, offsetOf } from '@/pages/corpus/queries'
import type { RunDetail } from '@/pages/corpus/types'
import { KINDS, type Chosen } from '@/pages/corpus/pageFilters'
import { Rows } from './Rows'

const route = getRouteApi('/corpus/runs/$runId')

/** The pages of a run that are asked for, with the decision about each and why. */
export function Pages({ run, may }: { run: RunDetail; may: boolean }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const set = useCallback((changed: Chosen) => void navigate({ search: (now) => ({ ...now, offset: undefined, ...changed }), replace: true }), [navigate])
  const find = useCallback((text: string | undefined) => set({ q: text }), [set])
  const pages = useQuery(pagesQuery(run.run_id, search, run.turn === 'machine'))
  const here = run.sections.find((one) => one.section === search.section) ?? run.counts
  const options = KINDS.map(({ word, label, count }) => [word, `${label} (${here[count].toLocaleString()})`] as [string, string])
  return (
    <section aria-label="Pages" className="min-w-0">
      <FilterBar set={Number(!!search.show) + Number(!!search.q) + Number(!!search.section)} clear={() => set({ show: undefined, q: undefined, section: undefined })}>
        <Select label="Show" value={KINDS.some(({ word }) => word === search.show) ? search.show : undefined} options={options} all={`All (${here.pages.toLocaleString()})`} pick={(show) => set({ show })} />
        <SearchBox label="Find" value={search.q} find={find} hint="URL, title, reason, rule" />
      </FilterBar>
      <QueryView query={pages} what="the pages">
        {({ items, total }) =>
          items.length ? (
            <>
              <Rows runId={run.run_id} pages={items} search={search} may={may} busy={pages.isPlaceholderData} />
              <Paging offset={offsetOf(search)} limit={LIMIT} total={total} go={(to) => set({ offset: String(to) })} />
            </>
          ) : (
            <EmptyState title={search.show || search.q || search.section ? 'No matching pages.' : 'No pages yet.'}>{search.show || search.q || search.section ? 'Clear the filters to see all pages.' : 'Pages appear once the domain is mapped.'}</EmptyState>
          )
        }
      </QueryView>
    </section>
  )
}
