import { useCallback } from 'react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { SafeLink } from '@/components/data/SafeLink'
import { SourceLink } from '@/components/data/SourceLink'
import { Time } from '@/components/data/Time'
import { Badge } from '@/components/feedback/Badge'
import { EmptyState, ErrorMessage, Loading } from '@/components/feedback/states'
import { CopyButton } from '@/components/forms/CopyButton'
import { DateInput, FilterBar, SearchBox, Select } from '@/components/forms/filters'
import { Heading } from '@/components/layout/Heading'
import { pluralize } from '@/lib/pluralize'
import { agenciesQuery, searchQuery, type Chosen, type SearchHit } from './queries'

const route = getRouteApi('/search')

const NOTHING: Chosen = { q: undefined, cites: undefined, source: undefined, agency: undefined, since: undefined, until: undefined, past: undefined }

/** Which held texts, and those of the past, have given words or cite a given section. */
export function Search() {
  const chosen: Chosen = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback((changed: Chosen) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false }), [navigate])
  const byWords = useCallback((q: string | undefined) => change({ q }), [change])
  const byCitation = useCallback((cites: string | undefined) => change({ cites }), [change])
  const bySource = useCallback((source: string | undefined) => change({ source }), [change])
  const agencies = useQuery(agenciesQuery).data ?? []
  return (
    <>
      <Heading title="Search" />
      <FilterBar
        set={Object.keys(NOTHING).filter((name) => chosen[name as keyof Chosen]).length}
        clear={() => change(NOTHING)}
        isMoreSet={Boolean(chosen.source || chosen.agency || chosen.since || chosen.until)}
        more={
          <>
            {agencies.length > 0 && <Select label="Agency" value={chosen.agency} options={agencies} pick={(agency) => change({ agency })} />}
            <SearchBox label="Source" value={chosen.source} find={bySource} hint="Source ID" />
            <DateInput label="Captured from (UTC)" value={chosen.since} pick={(since) => change({ since })} />
            <DateInput label="Captured to (UTC)" value={chosen.until} pick={(until) => change({ until })} />
          </>
        }
      >
        <SearchBox label="Words" value={chosen.q} find={byWords} hint={'escrow "60 days"'} />
        <SearchBox label="Cites" value={chosen.cites} find={byCitation} hint="12 CFR 1024.41" />
        <Select label="Texts" value={chosen.past} all="Current" options={[['yes', 'Current and past']]} pick={(past) => change({ past })} />
      </FilterBar>
      <Found chosen={chosen} />
    </>
  )
}

function Found({ chosen }: { chosen: Chosen }) {
  const { data, error, isFetching } = useQuery(searchQuery(chosen))
  if (!chosen.q && !chosen.cites) return <EmptyState title="Type words, or a citation.">Several words are all found in one text; put a phrase in quotes. “Cites” finds what cites a section or part, however it is spelt.</EmptyState>
  if (error) return <ErrorMessage error={error} />
  if (!data) return <Loading what="what is found" />
  return (
    <div aria-busy={isFetching} className={isFetching ? 'opacity-60' : ''}>
      <p role="status" className="mb-3 text-sm text-quiet">
        {data.has_more ? `The first ${data.items.length} texts; narrow the search to see the others.` : `${pluralize(data.items.length, 'text')}.`}
        {data.waiting > 0 && ` ${pluralize(data.waiting, 'text')} not searched yet: the index is being made.`}
        {data.missing > 0 && ` ${pluralize(data.missing, 'text')} could not be searched: missing in the staging area.`}
      </p>
      {data.items.length === 0 ? (
        <EmptyState title="No text has all of this.">{chosen.past ? 'Take a word away, or clear a filter.' : 'Take a word away, or search past texts too.'}</EmptyState>
      ) : (
        <ul className="rounded-lg border bg-card">
          {data.items.map((hit) => (
            <Hit key={hit.version} hit={hit} />
          ))}
        </ul>
      )}
    </div>
  )
}

function Hit({ hit }: { hit: SearchHit }) {
  return (
    <li className="border-t px-4 py-3 first:border-0 [overflow-wrap:anywhere]">
      <Link to="/pages/$pageId" params={{ pageId: String(hit.page_id) }} search={{ tab: 'text', version: hit.version }} className="font-medium text-accent underline decoration-line underline-offset-2 hover:decoration-current">
        {hit.title ?? hit.url}
      </Link>{' '}
      {!hit.is_current && <Badge tone="idle">past text</Badge>}
      <p className="mt-1 max-w-prose">
        {hit.snippet.map(({ text, found }, place) => (found ? <mark key={place} className="rounded-xs bg-warn-ground px-0.5 text-warn">{text}</mark> : text))}
      </p>
      <p className="mt-1 text-sm text-quiet">
        <SourceLink id={hit.source_id} /> · <SafeLink url={hit.url} /> · captured <Time at={hit.captured_at} /> · <CopyButton value={hit.content_hash} what="hash of the text" />
      </p>
    </li>
  )
}
