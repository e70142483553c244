import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { DateInput } from '@/components/forms/filters'
import { Time } from '@/components/data/Time'
import { startOfDay } from '@/lib/days'

const route = getRouteApi('/pages/$pageId')
const STATES = { held: 'A text was held', not_captured: 'No text: not captured yet', removed: 'No text: removed', moved: 'No text: moved' } as const

/** Which text was held at the end of a day, and what proves it. */
export function AsOf({ pageId }: { pageId: number }) {
  const { on } = route.useSearch()
  const navigate = route.useNavigate()
  const end = startOfDay(on, 1)
  const held = useQuery({
    queryKey: ['page', pageId, 'as-of', end],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/pages/{page_id}/as-of', { params: { path: { page_id: pageId }, query: { at: lastInstant(end ?? '') } }, signal })),
    enabled: end !== null,
  })
  return (
    <>
      <div className="mb-4 max-w-60">
        <DateInput label="At the end of this day (UTC)" value={on} pick={(day) => void navigate({ search: (now) => ({ ...now, on: day }), replace: true })} />
      </div>
      {end === null ? (
        <EmptyState title="Choose a day.">Shows the text that was held then, and what proves it.</EmptyState>
      ) : (
        <QueryView query={held} what="the text of that day">
          {(found) => <Held found={found} />}
        </QueryView>
      )}
    </>
  )
}

function Held({ found }: { found: Schemas['PageAt'] }) {
  return (
    <Card title={STATES[found.state]}>
      <p className="mb-3 max-w-prose [overflow-wrap:anywhere]">{found.says}</p>
      {found.imported_says && <p className="mb-3 max-w-prose [overflow-wrap:anywhere]">Imported: {found.imported_says}</p>}
      {found.version_id && (
        <p className="mb-3">
          <Link from={route.id} to="." search={(now) => ({ ...now, tab: 'text', version: found.version_id ?? undefined })} className="text-accent underline">
            Read this text
          </Link>
        </p>
      )}
      <Facts
        facts={[
          ['As of', <Time key="as-of" at={found.as_of} />],
          ['Published (publisher)', found.published],
          ['Effective (publisher)', found.effective],
          ['Effective until (publisher)', found.effective_until],
          ['Captured', found.captured && <Time key="captured" at={found.captured} />],
          ['Last seen', found.last_seen && <Time key="seen" at={found.last_seen} />],
          ['Known since', found.known && <Time key="known" at={found.known} />],
          ['Next check', found.next_look && <Time key="next" at={found.next_look} />],
          ['Result of that check', found.next_look_saw],
          ['Content hash', found.content_hash],
          ['Bytes as received', found.raw_object],
          ['robots.txt', found.robots_object],
          ['Envelope', found.envelope],
          ['Leaf in the log of facts', found.version_leaf],
        ]}
      />
    </Card>
  )
}

/** The millisecond before a moment. */
function lastInstant(end: string): string {
  return new Date(new Date(end).getTime() - 1).toISOString()
}
