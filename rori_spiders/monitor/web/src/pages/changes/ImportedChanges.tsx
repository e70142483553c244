import { useCallback } from 'react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { InfiniteList } from '@/components/data/InfiniteList'
import { SafeLink } from '@/components/data/SafeLink'
import { SourceLink } from '@/components/data/SourceLink'
import { Time } from '@/components/data/Time'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { EmptyState } from '@/components/feedback/states'
import { Heading } from '@/components/layout/Heading'
import { hideEmphasis } from '@/diff/emphasis'
import { Filters } from './Filters'
import { importedChangesQuery, type Chosen, type ImportedChange } from './queries'

const route = getRouteApi('/')

/** What differs between imported texts. This collector saw none of them, and nobody reviews it. */
export function ImportedChanges({ chosen }: { chosen: Chosen }) {
  const navigate = route.useNavigate()
  const change = useCallback(
    (changed: Chosen) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: 'q' in changed, resetScroll: false }),
    [navigate],
  )
  const query = useInfiniteQuery(importedChangesQuery(chosen, 50))
  return (
    <>
      <Heading title="Changes" />
      <p role="status" className="mb-3 text-sm text-warn">
        Between imported texts: files and publishers state them, this collector saw none of them.
      </p>
      <Filters chosen={chosen} people={[]} imported={1} change={change} />
      <InfiniteList query={query} what="the changes">
        {(items) =>
          items.length === 0 ? (
            <EmptyState title="No matching changes.">Clear a filter or choose other dates.</EmptyState>
          ) : (
            <ul className="rounded-lg border bg-card" aria-label="Changes between imported texts">
              {items.map((one) => (
                <ImportedChangeItem key={one.change_id} change={one} />
              ))}
            </ul>
          )
        }
      </InfiniteList>
    </>
  )
}

function ImportedChangeItem({ change }: { change: ImportedChange }) {
  return (
    <li className="border-t px-4 py-3 first:border-0">
      <p className="[overflow-wrap:anywhere]">
        {change.importance === 'high' ? <StateBadge state="high" /> : <Badge tone={change.importance === 'medium' ? 'new' : 'idle'}>{change.importance}</Badge>}{' '}
        <Badge tone="idle">imported</Badge> <span className="font-semibold">{hideEmphasis(change.sentence)}</span>
      </p>
      <p className="mt-1 text-sm text-quiet [overflow-wrap:anywhere]">
        {change.title && <span className="text-ink">{change.title} · </span>}
        {change.kind_name}
        {change.reasons.length > 0 && <span className="max-md:hidden">: {change.reasons.slice(0, 3).join('; ')}</span>} · <SourceLink id={change.source_id} /> · <SafeLink url={change.url} />
      </p>
      <p className="mt-1 text-sm text-quiet [overflow-wrap:anywhere]">
        {change.previously_stated_at ? <>Text of <Time at={change.previously_stated_at} /> and of <Time at={change.stated_at} /></> : <>Text of <Time at={change.stated_at} /></>} · trust: {change.trust}
        {change.previous_trust && change.previous_trust !== change.trust && ` (before: ${change.previous_trust})`} · {change.imported_from}, imported <Time at={change.imported_at} /> by {change.imported_by}
      </p>
      {change.page_id !== null && (
        <p className="mt-2 text-sm">
          <Link to="/pages/$pageId" params={{ pageId: String(change.page_id) }} className="text-accent underline">
            Versions and imported texts<span className="sr-only">: {change.title ?? change.url}</span>
          </Link>
        </p>
      )}
    </li>
  )
}
