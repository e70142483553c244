import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { Card } from '@/components/layout/Card'
import { Heading } from '@/components/layout/Heading'
import { QueryView } from '@/components/feedback/QueryView'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { RunStateBadge } from '@/pages/corpus/StateBadges'
import { StartRun } from '@/pages/corpus/StartRun'
import { ActivityLog } from '@/pages/corpus/ActivityLog'
import { domainQuery } from '@/pages/corpus/queries'
import type { Run } from '@/pages/corpus/types'
import { Versions } from './Versions'

const route = getRouteApi('/corpus/$domain')

/** A domain: its runs, what was published of it, and who did what. */
export function CorpusOfDomain() {
  const { domain } = route.useParams()
  const { operator_may: may } = useSession()
  const history = useQuery(domainQuery(domain))
  return (
    <QueryView query={history} what="the corpus" screen>
      {({ runs, versions }) => (
        <>
          <Heading title={`Corpus of ${domain}`} />
          {!may && <ViewerNotice>Only operators can start runs, publish and roll back.</ViewerNotice>}
          <Card title="Runs">{runs.length ? <Table caption="Runs" columns={RUNS} rows={runs} id={(run) => run.run_id} /> : <EmptyState title="No runs yet." />}</Card>
          {may && runs.every((run) => run.ended_at !== null) && <StartRun others={[]} domain={domain} />}
          <Versions versions={versions} may={may} />
          <ActivityLog domain={domain} />
        </>
      )}
    </QueryView>
  )
}

const RUNS: Column<Run>[] = [
  {
    key: 'run',
    title: 'Run',
    cell: (run) => (
      <Link to="/corpus/runs/$runId" params={{ runId: run.run_id }} className="text-accent underline">
        {run.kind === 'delta' ? 'incremental' : 'full'}, <Time at={run.started_at} />
      </Link>
    ),
  },
  { key: 'state', title: 'State', cell: (run) => <RunStateBadge state={run.state} /> },
  { key: 'since', title: 'Since', cell: (run) => <Time at={run.moved_at} relative /> },
  { key: 'by', title: 'Started by', cell: (run) => <span className="[overflow-wrap:anywhere]">{run.requested_by}</span> },
  { key: 'model', title: 'Model', cell: (run) => run.model ?? 'none' },
  { key: 'says', title: 'Reason', cell: (run) => run.says && <span className="[overflow-wrap:anywhere]">{run.says}</span> },
]
