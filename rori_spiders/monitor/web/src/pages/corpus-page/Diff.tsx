import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { SectionChange } from '@/diff/types'
import { DifferenceView } from '@/diff/DifferenceView'
import { Select } from '@/components/forms/filters'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { RenderedText } from '@/texts/RenderedText'
import { TextDifference } from '@/texts/TextDifference'
import type { PageDetail } from '@/pages/corpus/types'
import { differenceQuery, textQuery } from './textQuery'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')

/** The text as converted against the cleaned one: section by section, or line by line. */
export function Diff({ page }: { page: PageDetail }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (!page.texts.includes('clean')) return <EmptyState title="Not cleaned yet." />
  const from = search.left === 'draft' ? 'draft' : 'raw'
  const set = (changed: { left?: string; how?: string }) => void navigate({ search: (now) => ({ ...now, ...changed }), replace: true })
  return (
    <>
      <div className="mb-4 grid grid-cols-2 gap-2 md:flex md:items-end">
        <Select label="Before" value={from === 'draft' ? 'draft' : undefined} all="Converted" options={[['draft', 'After rules']]} pick={(left) => set({ left })} />
        <Select label="View" value={search.how} all="By section" options={[['lines', 'Line diff']]} pick={(how) => set({ how })} />
      </div>
      {search.how === 'lines' ? <Lines page={page} from={from} /> : <Sections page={page} from={from} />}
    </>
  )
}

// openapi-fetch takes pairs for lists of any length: the cast gives back the document's own type.
function Sections({ page, from }: { page: PageDetail; from: 'raw' | 'draft' }) {
  const difference = useQuery(differenceQuery(page, from))
  return (
    <QueryView query={difference} what="the difference">
      {({ sections, summary, notes }) => (
        <>
          <DifferenceView sections={sections as unknown as SectionChange[]} summary={summary.text} notes={notes} />
          {sections.length === 0 && <WholeText page={page} />}
        </>
      )}
    </QueryView>
  )
}

/** What is approved with one key is in sight, also where cleaning changed nothing. */
function WholeText({ page }: { page: PageDetail }) {
  const text = useQuery(textQuery(page, 'clean'))
  return (
    <div className="mt-4">
      <QueryView query={text} what="the cleaned text">
        {(known) => <RenderedText text={known} />}
      </QueryView>
    </div>
  )
}

function Lines({ page, from }: { page: PageDetail; from: 'raw' | 'draft' }) {
  const [before, after] = [useQuery(textQuery(page, from)), useQuery(textQuery(page, 'clean'))]
  return (
    <QueryView query={before} what="the text before">
      {(old) => (
        <QueryView query={after} what="the cleaned text">
          {(now) => <TextDifference before={old} after={now} />}
        </QueryView>
      )}
    </QueryView>
  )
}
