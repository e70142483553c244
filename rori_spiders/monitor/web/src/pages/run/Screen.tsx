import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { pluralize } from '@/lib/pluralize'
import { Facts } from '@/components/data/Facts'
import { Heading } from '@/components/layout/Heading'
import { QueryView } from '@/components/feedback/QueryView'
import { formatDuration } from '@/lib/dates'
import { Time } from '@/components/data/Time'
import { ChangedPages } from './ChangedPages'
import { CoverageCard } from './CoverageCard'
import { Reasons } from './Reasons'
import { RobotsCard } from './RobotsCard'
import { Urls } from './Urls'

const route = getRouteApi('/runs/$runId')
const OPEN_MS = 5_000

export function Run() {
  const { runId } = route.useParams()
  const run = useQuery({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/runs/{run_id}', { params: { path: { run_id: runId } }, signal })),
    refetchInterval: (query) => (query.state.data?.ended_at === null ? OPEN_MS : false),
  })
  return (
    <QueryView query={run} what="the run" screen>
      {(found) => (
        <>
          <Heading title={`Run of ${found.source_id}`}>
            <StateBadge state={found.state} />
          </Heading>
          <Card title="Summary">
            <p className="mb-3 font-medium [overflow-wrap:anywhere]">{found.outcome}</p>
            <Facts facts={facts(found)} across />
          </Card>
          {found.changed.length > 0 && <ChangedPages pages={found.changed} inAll={found.changed_in_all} />}
          {(found.reasons.length > 0 || found.held.length > 0) && <Reasons runId={runId} reasons={found.reasons} held={found.held} />}
          {found.summary && <CoverageCard summary={found.summary} />}
          {found.robots.length > 0 && <RobotsCard robots={found.robots} />}
          <Urls runId={runId} listed={found.listed} />
        </>
      )}
    </QueryView>
  )
}

const STATES = ['captured', 'unchanged', 'excluded', 'failed', 'gone', 'pending'] as const

function facts(run: Schemas['RunDetail']) {
  const parts = STATES.flatMap((state) => (run.counts[state] ? `${run.counts[state].toLocaleString()} ${state}` : []))
  return [
    [
      'Source',
      <Link key="source" to="/sources/$id" params={{ id: run.source_id }} className="text-accent underline">
        {run.source_id}
      </Link>,
    ],
    ['Pages', parts.length ? `${(run.counts.discovered ?? 0).toLocaleString()} discovered = ${parts.join(' + ')}` : 'none yet'],
    ['Progress', run.ended_at === null && run.done_percent !== null && `${run.done_percent} % of the pages discovered so far`],
    ['Started', <Time key="began" at={run.started_at} />],
    ['Resumed', run.resumed_at && <Time key="resumed" at={run.resumed_at} />],
    ['Ended', <Time key="ended" at={run.ended_at} none="running" />],
    ['Duration', run.ended_at && formatDuration(run.started_at, run.ended_at)],
    ['Trigger', run.operator === 'manual' ? 'manual' : 'schedule'],
    ['Method', run.method],
    ['Manifest version', run.manifest_version],
    ['Requests', run.requests.toLocaleString()],
    ['Credits', run.credits.toLocaleString()],
    ['Tiers', run.tiers.map((use) => `${use.tier}: ${pluralize(use.pages, 'page')}`).join(', ')],
    ['Job', <code key="job">{run.job_id}</code>],
    ['Run', <code key="run">{run.run_id}</code>],
  ] as const
}
