import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { Heading } from '@/components/layout/Heading'
import { Paging } from '@/components/data/Paging'
import { EmptyState, Loading, ErrorMessage } from '@/components/feedback/states'
import { Table } from '@/components/data/Table'
import { useWideScreen } from '@/lib/useMediaQuery'
import { command } from '@/lib/command'
import { RunningJobs } from './RunningJobs'
import { Alerts } from './Alerts'
import { COLUMNS } from './columns'
import { Filters } from './Filters'
import { Groups } from './Groups'
import { LIMIT, PHONE_LIMIT, sourcesQuery, type Chosen, type Facets, type Found } from './queries'

const route = getRouteApi('/sources')

export function SourcesScreen() {
  return (
    <>
      <Heading title="Sources" />
      <Alerts />
      <RunningJobs />
      <Sources />
    </>
  )
}

const NONE: Facets = { status: {}, agency: {}, category: {}, domain: {} }

function Sources() {
  const chosen: Chosen = route.useSearch()
  const navigate = route.useNavigate()
  const change = useCallback(
    (changed: Chosen) => void navigate({ search: (before) => ({ ...before, offset: undefined, ...changed }), replace: 'q' in changed, resetScroll: false }),
    [navigate],
  )
  const limit = useWideScreen() ? LIMIT : PHONE_LIMIT
  const query = useQuery(sourcesQuery(chosen, limit))
  const { data } = query
  return (
    <section aria-labelledby="sources">
      <h2 id="sources" className="mb-2 font-semibold">
        Sources{' '}
        {data && (
          <span className="font-normal text-quiet" aria-live="polite">
            ({data.matching === data.total ? data.total.toLocaleString() : `${data.matching.toLocaleString()} of ${data.total.toLocaleString()}`})
          </span>
        )}
      </h2>
      <Filters chosen={chosen} facets={data?.facets ?? NONE} change={change} />
      {query.error ? <ErrorMessage error={query.error} again={() => void query.refetch()} /> : <Listed chosen={chosen} change={change} limit={limit} query={query} />}
    </section>
  )
}

function Listed({ chosen, change, limit, query: { data, isPlaceholderData } }: { chosen: Chosen; change: (changed: Chosen) => void; limit: number; query: { data?: Found; isPlaceholderData: boolean } }) {
  if (!data) return <Loading what="the sources" />
  if (data.total === 0) return <EmptyState title="No active sources.">Sources come from a manifest. Activate one with <code>{command('manifest activate FILE')}</code>, or under Manifests.</EmptyState>
  if (data.matching === 0) return <EmptyState title="No matching sources.">Clear a filter or change the search.</EmptyState>
  if (isGroup(chosen.group)) return <Groups by={chosen.group} facets={data.facets} chosen={chosen} open={change} />
  return (
    <>
      <Table
        caption="Sources"
        compact
        columns={COLUMNS}
        rows={data.items}
        id={(row) => row.id}
        busy={isPlaceholderData}
        order={{ by: chosen.sort ?? 'id', down: chosen.order === 'desc' }}
        sorted={({ by, down }) => change({ sort: by, order: down ? 'desc' : 'asc' })}
      />
      <Paging offset={Number(chosen.offset ?? 0) || 0} limit={limit} total={data.matching} go={(offset) => change({ offset: String(offset || '') })} />
    </>
  )
}

function isGroup(word: string | undefined): word is keyof Facets {
  return word === 'status' || word === 'agency' || word === 'category' || word === 'domain'
}
