import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { SafeLink } from '@/components/data/SafeLink'
import { Card } from '@/components/layout/Card'
import type { PageDetail } from '@/pages/corpus/types'

const MOST_SHOWN = 10

/** Who refers to this page in the latest version: where a changed rule is cited. Nothing where nobody does. */
export function Referrers({ page }: { page: PageDetail }) {
  const referrers = useQuery({
    queryKey: ['corpus', page.domain, 'references', page.url],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus/domains/{domain}/references', { params: { path: { domain: page.domain }, query: { to: page.url, limit: MOST_SHOWN } }, signal })),
    staleTime: 60_000,
  })
  if (!referrers.data?.total) return null
  const more = referrers.data.total - referrers.data.items.length
  return (
    <Card title="Referred to by">
      <ul className="grid gap-1 text-sm [overflow-wrap:anywhere]">
        {referrers.data.items.map((one, place) => (
          <li key={place}>
            <SafeLink url={one.from_url} />
            {one.citation !== page.url && `: ${one.citation}`}
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-quiet">
        {more > 0 && `and ${more} more; `}version {referrers.data.version}, the latest
      </p>
    </Card>
  )
}
