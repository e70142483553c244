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
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/failures/{audit_id}', { params: { path: { audit_id: Number(auditId) } }, signal })),
  })
  return (
    <QueryView query={failure} what="the failure" screen>
      {(found) => (
        <>
          <Heading title={`URL outcome: ${found.state}`}>
            <Ends failure={found} />
          </Heading>
          <Card title="Summary">
            <p className="mb-3 font-medium [overflow-wrap:anywhere]">{found.reason ?? found.error ?? 'No reason recorded.'}</p>
            <Facts facts={facts(found)} across />
          </Card>
          {found.attempts.length > 0 && <Attempts attempts={found.attempts} />}
          {found.paid.length > 0 && <Paid calls={found.paid} />}
          <Card title="Response">
            {found.response.state === 'stored' ? (
              <SandboxedFrame path={`/api/v1/failures/${found.audit_id}/response`} title="Response" type={found.response.content_type} />
            ) : (
              <p className="text-sm">{found.response.why ?? 'No response recorded.'}</p>
            )}
            <Headers title="Response headers" headers={found.response_headers} />
            <Headers title="Request headers" headers={found.request_headers} />
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
    <Badge tone="bad">unresolved</Badge>
  )
}

function facts(failure: Schemas['FailureDetail']) {
  return [
    ['URL', <SafeLink key="url" url={failure.url} />],
    ['Time', <Time key="at" at={failure.at} />],
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
          versions and attempts
        </Link>
      ),
    ],
    ['HTTP', failure.http_status ?? 'no response'],
    ['Verdict', failure.verdict],
    ['Matched rules', failure.rules.join(', ')],
    ['Error', failure.reason !== null && failure.error !== failure.reason && failure.error],
    ['Tier', failure.tier],
    ['Retries', failure.retries],
    ['Credits', failure.credits],
    ['Response time', failure.ms !== null && `${failure.ms.toLocaleString()} ms`],
    ['Redirects', failure.redirects.length > 0 && <Hops key="hops" hops={failure.redirects} />],
    ['Final URL', failure.final_url && failure.final_url !== failure.url && <SafeLink key="final" url={failure.final_url} />],
    ['Server IP address', failure.ip_address],
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
