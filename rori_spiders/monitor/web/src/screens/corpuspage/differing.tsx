import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { answer, api } from '@/api/client'
import type { SectionChange } from '@/difference/shapes'
import { DifferenceView } from '@/difference/view'
import { Choice } from '@/parts/filters'
import { Loaded } from '@/parts/loaded'
import { Empty } from '@/parts/states'
import { TextDifference } from '@/texts/difference'
import type { PageDetail } from '../corpus/shapes'
import { textQuery } from './text'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')

/** The text as converted against the cleaned one: section by section, or line by line. */
export function Differing({ page }: { page: PageDetail }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (!page.texts.includes('clean')) return <Empty title="It is not cleaned yet." />
  const from = search.left === 'draft' ? 'draft' : 'raw'
  const set = (changed: { left?: string; how?: string }) => void navigate({ search: (now) => ({ ...now, ...changed }), replace: true })
  return (
    <>
      <div className="mb-4 grid grid-cols-2 gap-2 md:flex md:items-end">
        <Choice label="Before" value={from === 'draft' ? 'draft' : undefined} all="As converted" options={[['draft', 'As the rules left it']]} pick={(left) => set({ left })} />
        <Choice label="How" value={search.how} all="Section by section" options={[['lines', 'Line by line']]} pick={(how) => set({ how })} />
      </div>
      {search.how === 'lines' ? <Lines page={page} from={from} /> : <Sections page={page} from={from} />}
    </>
  )
}

// openapi-fetch takes pairs for lists of any length: the cast gives back the document's own type.
function Sections({ page, from }: { page: PageDetail; from: 'raw' | 'draft' }) {
  const difference = useQuery({
    queryKey: ['corpus run', page.run_id, 'difference', page.page_id, from, page.document],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/corpus/runs/{run_id}/pages/{page_id}/difference', { params: { path: { run_id: page.run_id, page_id: page.page_id }, query: { from, to: 'clean' } }, signal })),
    staleTime: 60_000,
  })
  return (
    <Loaded query={difference} what="the difference">
      {({ sections, summary, notes }) => <DifferenceView sections={sections as unknown as SectionChange[]} summary={summary.text} notes={notes} />}
    </Loaded>
  )
}

function Lines({ page, from }: { page: PageDetail; from: 'raw' | 'draft' }) {
  const [before, after] = [useQuery(textQuery(page, from)), useQuery(textQuery(page, 'clean'))]
  return (
    <Loaded query={before} what="the text before">
      {(old) => (
        <Loaded query={after} what="the cleaned text">
          {(now) => <TextDifference before={old} after={now} />}
        </Loaded>
      )}
    </Loaded>
  )
}
