import { getRouteApi, Link } from '@tanstack/react-router'
import { KeyHint } from '@/pages/corpus/KeyHint'
import { useKeys } from '@/lib/useKeys'
import { useNeighbours, type Neighbour } from './useNeighbours'
import { usePrefetchedPage } from './usePrefetchedPage'
import { KINDS } from '@/pages/corpus/pageFilters'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')

/** Back to the list that one came from, and on through it: by keys, too. */
export function PageNavigation({ runId, pageId, domain }: { runId: string; pageId: string; domain: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { before, after, place } = useNeighbours(runId, pageId, search)
  usePrefetchedPage(runId, after?.pageId)
  const list = { section: search.section, show: search.show, q: search.q, offset: search.offset }
  const go = (to: Neighbour | undefined) => to && void navigate({ params: { runId, pageId: to.pageId }, search: (now) => ({ ...now, offset: to.offset }) })
  useKeys({ J: () => go(after), K: () => go(before), u: () => void navigate({ to: '/corpus/runs/$runId', params: { runId }, search: list }) })
  const kind = KINDS.find(({ word }) => word === search.show)?.label
  return (
    <nav aria-label="Pages of the run" className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <Link to="/corpus/runs/$runId" params={{ runId }} search={list} className="text-accent underline">
        Corpus of {domain}
        {search.section ? `, ${search.section}` : ''}
        {kind ? `, ${kind}` : ''}
      </Link>
      <KeyHint name="u" />
      <span className="ms-auto flex flex-wrap items-center gap-x-4">
        {place && <span className="text-quiet tabular-nums">{place}</span>}
        <To page={before} label="Previous page" name="K" />
        <To page={after} label="Next page" name="J" />
      </span>
    </nav>
  )
}

function To({ page, label, name }: { page: Neighbour | undefined; label: string; name: string }) {
  const { runId } = route.useParams()
  if (!page) return <span className="text-quiet">{label}</span>
  return (
    <Link to="/corpus/runs/$runId/pages/$pageId" params={{ runId, pageId: page.pageId }} search={(now) => ({ ...now, offset: page.offset })} className="text-accent underline">
      {label} <KeyHint name={name} />
    </Link>
  )
}
