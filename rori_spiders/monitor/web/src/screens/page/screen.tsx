import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { StateBadge } from '@/parts/badge'
import { Card } from '@/parts/card'
import { Facts } from '@/parts/facts'
import { Heading } from '@/parts/heading'
import { SafeLink } from '@/parts/link'
import { Loaded } from '@/parts/loaded'
import { Empty } from '@/parts/states'
import { TAB, Tabs } from '@/parts/tabs'
import { Time } from '@/parts/time'
import { Compare } from './compare'
import { Tries } from './tries'
import { VersionView } from './version'
import { Versions } from './versions'

const route = getRouteApi('/pages/$pageId')
const TABS = [
  [undefined, 'Versions'],
  ['compare', 'Compare'],
  ['text', 'One version'],
  ['tries', 'Tries'],
] as const

export function Page() {
  const { pageId } = route.useParams()
  const { tab } = route.useSearch()
  const page = useQuery({
    queryKey: ['page', pageId],
    queryFn: ({ signal }) => answer(api.GET('/api/pages/{page_id}', { params: { path: { page_id: Number(pageId) } }, signal })),
  })
  return (
    <Loaded query={page} what="the page" screen>
      {(found) => (
        <>
          <Heading title={found.title || found.url}>
            <StateBadge state={found.state} />
          </Heading>
          <Card title="Page">
            <Facts
              across
              facts={[
                ['Address', <SafeLink key="url" url={found.url} />],
                ['Source', <Link key="source" to="/sources/$id" params={{ id: found.source_id }} className="text-accent underline">{found.source_id}</Link>],
                ['Why', found.reason],
                ['Also at', others(found).length > 0 && <Others key="others" urls={others(found)} />],
                ['First seen', <Time key="first" at={found.first_seen_at} />],
                ['Last check', <Time key="checked" at={found.last_checked_at} />],
                ['Last change', <Time key="changed" at={found.last_changed_at} />],
              ]}
            />
          </Card>
          <Tabs label="Parts of this page">
            {TABS.map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={(now) => ({ ...now, tab: name })} aria-current={tab === name ? 'page' : undefined} className={TAB}>
                {label}
              </Link>
            ))}
          </Tabs>
          {found.history.length === 0 && tab !== 'tries' ? (
            <Empty title="No text of it was ever captured.">Its tries say why.</Empty>
          ) : tab === 'compare' ? (
            <Compare page={found} pageId={Number(pageId)} />
          ) : tab === 'text' ? (
            <VersionView page={found} />
          ) : tab === 'tries' ? (
            <Tries tries={found.tries} />
          ) : (
            <Versions page={found} />
          )}
        </>
      )}
    </Loaded>
  )
}

function others(page: schemas['PageDetail']): string[] {
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
