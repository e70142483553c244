import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import { useSession } from '@/api/session'
import { StateBadge } from '@/components/feedback/Badge'
import { Heading } from '@/components/layout/Heading'
import { SafeLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { TAB_CLASS, Tabs } from '@/components/layout/Tabs'
import { Actions } from './Actions'
import { Costs } from './Costs'
import { SourceErrors } from './SourceErrors'
import { Overview } from './Overview'
import { Pages } from './Pages'
import { Runs } from './Runs'

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
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources/{source_id}', { params: { path: { source_id: id } }, signal })),
  })
  return (
    <QueryView query={source} what="the source" screen>
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
          {!may && <ViewerNotice>Only operators can run, pause and resume sources.</ViewerNotice>}
          <Tabs label="Sections of this source">
            {TABS.map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={name ? { tab: name } : {}} aria-current={tab === name ? 'page' : undefined} className={TAB_CLASS}>
                {label}
              </Link>
            ))}
          </Tabs>
          {tab === 'pages' ? <Pages id={id} /> : tab === 'runs' ? <Runs id={id} /> : tab === 'errors' ? <SourceErrors id={id} /> : tab === 'costs' ? <Costs id={id} /> : <Overview source={found} />}
        </>
      )}
    </QueryView>
  )
}
