import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { Card } from '@/parts/card'
import { Heading } from '@/parts/heading'
import { Loaded } from '@/parts/loaded'
import { OnlyLooks } from '@/parts/onlylooks'
import { Empty } from '@/parts/states'
import { Table, type Column } from '@/parts/table'
import { Time } from '@/parts/time'
import { RunState } from '../corpus/badges'
import { Begin } from '../corpus/begin'
import { Deeds } from '../corpus/deeds'
import { domainQuery } from '../corpus/queries'
import type { Run } from '../corpus/shapes'
import { Versions } from './versions'

const route = getRouteApi('/corpus/$domain')

/** A domain: its runs, what was published of it, and who did what. */
export function CorpusOfDomain() {
  const { domain } = route.useParams()
  const { operator_may: may } = useSession()
  const history = useQuery(domainQuery(domain))
  return (
    <Loaded query={history} what="the corpus" screen>
      {({ runs, versions }) => (
        <>
          <Heading title={`Corpus of ${domain}`} />
          {!may && <OnlyLooks>only operators begin runs, publish and roll back.</OnlyLooks>}
          <Card title="Runs">{runs.length ? <Table caption="Runs" columns={RUNS} rows={runs} id={(run) => run.run_id} /> : <Empty title="No run of it is known." />}</Card>
          {may && runs.every((run) => run.ended_at !== null) && <Begin others={[]} domain={domain} />}
          <Versions versions={versions} may={may} />
          <Deeds domain={domain} />
        </>
      )}
    </Loaded>
  )
}

const RUNS: Column<Run>[] = [
  {
    key: 'run',
    title: 'Run',
    cell: (run) => (
      <Link to="/corpus/runs/$runId" params={{ runId: run.run_id }} className="text-accent underline">
        {run.kind === 'delta' ? 'changes' : 'whole'}, <Time at={run.started_at} />
      </Link>
    ),
  },
  { key: 'state', title: 'State', cell: (run) => <RunState state={run.state} /> },
  { key: 'since', title: 'Since', cell: (run) => <Time at={run.moved_at} relative /> },
  { key: 'by', title: 'Begun by', cell: (run) => <span className="[overflow-wrap:anywhere]">{run.requested_by}</span> },
  { key: 'model', title: 'Model', cell: (run) => run.model ?? 'none' },
  { key: 'says', title: 'Why', cell: (run) => run.says && <span className="[overflow-wrap:anywhere]">{run.says}</span> },
]
