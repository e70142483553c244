import { getRouteApi } from '@tanstack/react-router'
import type { Schemas } from '@/api/types'
import { PageDifference } from '@/diff/PageDifference'
import { Select } from '@/components/forms/filters'
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
      {from && to && (search.how === 'lines' ? <LineByLine from={from} to={to} /> : <PageDifference pageId={pageId} from={from} to={to} />)}
    </>
  )
}
