import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answer, api } from '@/api/client'
import { useSession } from '@/api/session'
import { StateBadge } from '@/parts/badge'
import { Heading } from '@/parts/heading'
import { SafeLink } from '@/parts/link'
import { Loaded } from '@/parts/loaded'
import { OnlyLooks } from '@/parts/onlylooks'
import { TAB, Tabs } from '@/parts/tabs'
import { Actions } from './actions'
import { Costs } from './costs'
import { SourceErrors } from './errors'
import { Overview } from './overview'
import { Pages } from './pages'
import { Runs } from './runs'

const route = getRouteApi('/sources/$id')
const TABS = [
  [undefined, 'Overview'],
  ['pages', 'Pages'],
  ['runs', 'Runs'],
  ['errors', 'Errors'],
  ['costs', 'Costs and escalations'],
] as const

export function Source() {
  const { id } = route.useParams()
  const { tab } = route.useSearch()
  const { operator_may: may } = useSession()
  const source = useQuery({
    queryKey: ['source', id],
    queryFn: ({ signal }) => answer(api.GET('/api/sources/{source_id}', { params: { path: { source_id: id } }, signal })),
  })
  return (
    <Loaded query={source} what="the source" screen>
      {(found) => (
        <>
          <Heading title={found.name}>
            <StateBadge state={found.status} />
          </Heading>
          <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
            <p className="min-w-0 text-sm">
              <SafeLink url={found.url} />
              {found.why && <span className="block font-medium [overflow-wrap:anywhere]">{found.why}</span>}
            </p>
            {may && <Actions id={id} name={found.name} paused={found.status === 'paused'} />}
          </div>
          {!may && <OnlyLooks>only operators run, pause and resume a source.</OnlyLooks>}
          <Tabs label="Parts of this source">
            {TABS.map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={name ? { tab: name } : {}} aria-current={tab === name ? 'page' : undefined} className={TAB}>
                {label}
              </Link>
            ))}
          </Tabs>
          {tab === 'pages' ? <Pages id={id} /> : tab === 'runs' ? <Runs id={id} /> : tab === 'errors' ? <SourceErrors id={id} /> : tab === 'costs' ? <Costs id={id} /> : <Overview source={found} />}
        </>
      )}
    </Loaded>
  )
}
