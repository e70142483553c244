import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Badge, StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { Heading } from '@/components/layout/Heading'
import { SafeLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { Time } from '@/components/data/Time'
import { SandboxedFrame } from '@/texts/SandboxedFrame'
import { Attempts, Paid } from './Attempts'
import { Headers } from './Headers'

const route = getRouteApi('/failures/$auditId')

export function Failure() {
  const { auditId } = route.useParams()
  const failure = useQuery({
    queryKey: ['failure', auditId],
    queryFn: ({ signal }) => unwrap(api.GET('/api/failures/{audit_id}', { params: { path: { audit_id: Number(auditId) } }, signal })),
  })
  return (
    <QueryView query={failure} what="the failure" screen>
      {(found) => (
        <>
          <Heading title={`How a URL ended: ${found.state}`}>
            <Ends failure={found} />
          </Heading>
          <Card title="What happened, and why">
            <p className="mb-3 font-medium [overflow-wrap:anywhere]">{found.reason ?? found.error ?? 'No reason was kept.'}</p>
            <Facts facts={facts(found)} across />
          </Card>
          {found.attempts.length > 0 && <Attempts attempts={found.attempts} />}
          {found.paid.length > 0 && <Paid calls={found.paid} />}
          <Card title="The response that caused it">
            {found.response.state === 'kept' ? (
              <SandboxedFrame path={`/api/failures/${found.audit_id}/response`} title="The response that caused it" type={found.response.content_type} />
            ) : (
              <p className="text-sm">{found.response.why ?? 'No response was kept.'}</p>
            )}
            <Headers title="Headers of the response" headers={found.response_headers} />
            <Headers title="Headers of the request" headers={found.request_headers} />
          </Card>
        </>
      )}
    </QueryView>
  )
}

function Ends({ failure }: { failure: Schemas['FailureDetail'] }) {
  if (failure.state !== 'failed') return <StateBadge state={failure.state} />
  return failure.resolved ? (
    <span className="text-sm">
      <Badge tone="good">resolved</Badge> <Time at={failure.resolved_at} />
    </span>
  ) : (
    <Badge tone="bad">not resolved</Badge>
  )
}

function facts(failure: Schemas['FailureDetail']) {
  return [
    ['URL', <SafeLink key="url" url={failure.url} />],
    ['When', <Time key="at" at={failure.at} />],
    [
      'Source',
      <Link key="source" to="/sources/$id" params={{ id: failure.source_id }} className="text-accent underline">
        {failure.source_id}
      </Link>,
    ],
    [
      'Run',
      <Link key="run" to="/runs/$runId" params={{ runId: failure.run_id }} className="font-mono text-accent underline">
        {failure.run_id}
      </Link>,
    ],
    [
      'Page',
      failure.page_id !== null && (
        <Link key="page" to="/pages/$pageId" params={{ pageId: String(failure.page_id) }} className="text-accent underline">
          its versions and tries
        </Link>
      ),
    ],
    ['HTTP', failure.http_status ?? 'no answer'],
    ['Verdict', failure.verdict],
    ['Rules that fired', failure.rules.join(', ')],
    ['Error', failure.reason !== null && failure.error !== failure.reason && failure.error],
    ['Tier', failure.tier],
    ['Retries', failure.retries],
    ['Credits', failure.credits],
    ['Answered in', failure.ms !== null && `${failure.ms.toLocaleString()} ms`],
    ['Redirects', failure.redirects.length > 0 && <Hops key="hops" hops={failure.redirects} />],
    ['Ended at', failure.final_url && failure.final_url !== failure.url && <SafeLink key="final" url={failure.final_url} />],
    ['Address of the server', failure.ip_address],
    ['RORI Collector', failure.build],
  ] as const
}

function Hops({ hops }: { hops: readonly Schemas['Hop'][] }) {
  return (
    <ol>
      {hops.map((hop, place) => (
        <li key={place}>
          {hop.status} → <SafeLink url={hop.url} />
        </li>
      ))}
    </ol>
  )
}
