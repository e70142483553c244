import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import type { SectionChange } from '@/diff/types'
import { DifferenceView } from '@/diff/DifferenceView'
import { Select } from '@/components/forms/filters'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { LineByLine } from './LineByLine'
import { VersionPicker } from './VersionPicker'

const route = getRouteApi('/pages/$pageId')

/** Any two versions of a page: what changed in it as a person reads it, or line by line. */
export function Compare({ page, pageId }: { page: Schemas['PageDetail']; pageId: number }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const versions = page.history
  const [from, to] = [search.from ?? versions[1]?.version_id, search.to ?? versions[0]?.version_id]
  if (versions.length < 2) return <EmptyState title="Only one version; nothing to compare." />
  const set = (changed: { from?: string; to?: string; how?: string }) => void navigate({ search: (now) => ({ ...now, from, to, ...changed }), replace: true })
  return (
    <>
      <div className="mb-4 grid grid-cols-2 gap-2 md:flex md:items-end">
        <VersionPicker label="Before" versions={versions} value={from} pick={(id) => set({ from: id })} />
        <VersionPicker label="After" versions={versions} value={to} pick={(id) => set({ to: id })} />
        <Select label="View" value={search.how} all="By section" options={[['lines', 'Line diff']]} pick={(how) => set({ how })} />
      </div>
      {from && to && (search.how === 'lines' ? <LineByLine from={from} to={to} /> : <Differing pageId={pageId} from={from} to={to} />)}
    </>
  )
}

// openapi-fetch takes pairs for lists of any length: the cast gives back the document's own type.
function Differing({ pageId, from, to }: { pageId: number; from: string; to: string }) {
  const difference = useQuery({
    queryKey: ['difference', pageId, from, to],
    queryFn: ({ signal }) => unwrap(api.GET('/api/pages/{page_id}/difference', { params: { path: { page_id: pageId }, query: { from, to } }, signal })),
    staleTime: Infinity,
  })
  return (
    <QueryView query={difference} what="the difference">
      {({ sections, summary, notes }) => <DifferenceView sections={sections as unknown as SectionChange[]} summary={summary.text} notes={notes} />}
    </QueryView>
  )
}
