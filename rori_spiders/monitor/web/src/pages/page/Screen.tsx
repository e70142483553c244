import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { Heading } from '@/components/layout/Heading'
import { SafeLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { TAB_CLASS, Tabs } from '@/components/layout/Tabs'
import { Time } from '@/components/data/Time'
import { AsOf } from './AsOf'
import { Compare } from './Compare'
import { Attempts } from './Attempts'
import { VersionView } from './VersionView'
import { Versions } from './Versions'

const route = getRouteApi('/pages/$pageId')
const TABS = [
  [undefined, 'Versions'],
  ['compare', 'Compare'],
  ['text', 'Content'],
  ['as-of', 'As of'],
  ['tries', 'Attempts'],
] as const

export function Page() {
  const { pageId } = route.useParams()
  const { tab } = route.useSearch()
  const page = useQuery({
    queryKey: ['page', pageId],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/pages/{page_id}', { params: { path: { page_id: Number(pageId) } }, signal })),
  })
  return (
    <QueryView query={page} what="the page" screen>
      {(found) => (
        <>
          <Heading title={found.title || found.url}>
            <StateBadge state={found.state} />
          </Heading>
          <Card title="Page">
            <Facts
              across
              facts={[
                ['URL', <SafeLink key="url" url={found.url} />],
                ['Source', <Link key="source" to="/sources/$id" params={{ id: found.source_id }} className="text-accent underline">{found.source_id}</Link>],
                ['Reason', found.reason],
                ['Other URLs', others(found).length > 0 && <Others key="others" urls={others(found)} />],
                ['First seen', <Time key="first" at={found.first_seen_at} />],
                ['Last checked', <Time key="checked" at={found.last_checked_at} />],
                ['Last changed', <Time key="changed" at={found.last_changed_at} />],
              ]}
            />
          </Card>
          <Tabs label="Sections of this page">
            {TABS.map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={(now) => ({ ...now, tab: name })} aria-current={tab === name ? 'page' : undefined} className={TAB_CLASS}>
                {label}
              </Link>
            ))}
          </Tabs>
          {found.history.length === 0 && tab !== 'tries' && tab !== 'as-of' && !(tab === undefined && found.imported.length > 0) ? (
            <EmptyState title="No captured versions.">See Attempts for the reason.</EmptyState>
          ) : tab === 'compare' ? (
            <Compare page={found} pageId={Number(pageId)} />
          ) : tab === 'text' ? (
            <VersionView page={found} />
          ) : tab === 'as-of' ? (
            <AsOf pageId={Number(pageId)} />
          ) : tab === 'tries' ? (
            <Attempts tries={found.tries} />
          ) : (
            <Versions page={found} />
          )}
        </>
      )}
    </QueryView>
  )
}

function others(page: Schemas['PageDetail']): string[] {
  const all = [...page.addresses, ...page.aliases].map((one) => one.url)
  return [...new Set(all)].filter((url) => url !== page.url)
}

function Others({ urls }: { urls: readonly string[] }) {
  return (
    <ul>
      {urls.map((url) => (
        <li key={url}>
          <SafeLink url={url} />
        </li>
      ))}
    </ul>
  )
}
