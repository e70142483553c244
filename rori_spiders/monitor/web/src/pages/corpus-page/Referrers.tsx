import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, unwrap } from '@/api/client'
import type { components } from '@/api/schema'
import { SafeLink } from '@/components/data/SafeLink'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'
import { pageName } from '@/pages/corpus/pageName'
import type { PageDetail } from '@/pages/corpus/types'

const MOST_SHOWN = 50
/** What is read here is the text below: of more pages the rest opens on demand. */
const FIRST_SHOWN = 5

/** Who refers to this page in the latest version: where a changed rule is cited. Nothing where nobody does. */
export function Referrers({ page }: { page: PageDetail }) {
  const referrers = useQuery({
    queryKey: ['corpus', page.domain, 'references', page.url],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus/domains/{domain}/references', { params: { path: { domain: page.domain }, query: { to: page.url, limit: MOST_SHOWN } }, signal })),
    staleTime: 60_000,
  })
  if (!referrers.data?.total) return null
  const { items, total, version } = referrers.data
  const pages = onePerPage(items)
  const rest = pages.slice(FIRST_SHOWN)
  return (
    <Card title="Referred to by">
      <PageList pages={pages.slice(0, FIRST_SHOWN)} references={items} url={page.url} />
      {rest.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="cursor-pointer text-accent">{pluralize(rest.length, 'more page')}</summary>
          <PageList pages={rest} references={items} url={page.url} />
        </details>
      )}
      <p className="mt-1 text-sm text-quiet">
        {total > items.length && `and ${pluralize(total - items.length, 'more reference')}; `}version {version}, the latest
      </p>
    </Card>
  )
}

type Reference = components['schemas']['CorpusReference']

function PageList({ pages, references, url }: { pages: Reference[]; references: Reference[]; url: string }) {
  return (
    <ul className="grid gap-1 text-sm [overflow-wrap:anywhere]">
      {pages.map((one) => (
        <li key={one.from_url}>
          <PageLink {...one} />
          {citations(references.filter((other) => other.from_url === one.from_url), url)}
        </li>
      ))}
    </ul>
  )
}

function onePerPage(references: Reference[]): Reference[] {
  return [...new Map(references.map((one) => [one.from_url, one])).values()]
}

function PageLink({ from_url, from_title, from_page_id, from_run_id }: Reference) {
  const name = pageName({ title: from_title, url: from_url })
  if (!from_page_id || !from_run_id) return <SafeLink url={from_url}>{name}</SafeLink>
  return (
    <Link to="/corpus/runs/$runId/pages/$pageId" params={{ runId: from_run_id, pageId: from_page_id }} className="text-accent underline">
      {name}
    </Link>
  )
}

/** What it cites, each once, its numbers kept with their signs; a link to the page itself says nothing more. */
function citations(references: Reference[], url: string): string {
  const names = [...new Set(references.map((one) => one.citation))].filter((one) => one !== url)
  return names.length ? ` (${names.join(', ').replaceAll('§ ', '§\u00a0')})` : ''
}
