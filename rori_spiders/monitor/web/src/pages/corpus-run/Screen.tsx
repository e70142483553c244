import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { Facts } from '@/components/data/Facts'
import { Heading } from '@/components/layout/Heading'
import { QueryView } from '@/components/feedback/QueryView'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { Time } from '@/components/data/Time'
import { RunStateBadge, stateLabel } from '@/pages/corpus/StateBadges'
import { useRefreshOnChange } from '@/pages/corpus/useRefreshOnChange'
import { runQuery } from '@/pages/corpus/queries'
import type { RunDetail } from '@/pages/corpus/types'
import { Actions } from './Actions'
import { Questions } from './Questions'
import { Pages } from './Pages'
import { Steps } from './Steps'
import { SectionTree } from './SectionTree'
import { WorkerStatus } from './WorkerStatus'

const route = getRouteApi('/corpus/runs/$runId')

/** A run: how far it is, what stands between it and its approval, and its pages by section. */
export function CorpusRunScreen() {
  const { runId } = route.useParams()
  const { operator_may: may } = useSession()
  const run = useQuery(runQuery(runId))
  useRefreshOnChange(run.data)
  return (
    <QueryView query={run} what="the run" screen>
      {(found) => (
        <>
          <Heading title={`Corpus of ${found.domain}`}>
            <RunStateBadge state={found.state} />
          </Heading>
          <Steps run={found} />
          <About run={found} />
          {!may && <ViewerNotice>Only operators can decide about pages, approve and publish.</ViewerNotice>}
          <WorkerStatus run={found} may={may} />
          <Questions run={found} />
          {may && <Actions run={found} />}
          <div className="grid items-start gap-4 lg:grid-cols-[18rem_1fr]">
            <SectionTree run={found} />
            <Pages run={found} may={may && found.may.includes('decide')} />
          </div>
        </>
      )}
    </QueryView>
  )
}

function About({ run }: { run: RunDetail }) {
  return (
    <div className="mb-4">
      <Facts
        across
        facts={[
          ['Domain', <Link key="domain" to="/corpus/$domain" params={{ domain: run.domain }} className="text-accent underline">{run.domain}</Link>],
          ['Kind', run.kind === 'delta' ? `incremental, since version ${run.base_version ?? '?'}` : 'full'],
          ['Started', <span key="started"><Time at={run.started_at} /> by {run.requested_by}</span>],
          [`${stateLabel(run.state)} since`, <Time key="since" at={run.moved_at} />],
          ['Model', run.model ?? 'none (rules only)'],
          ['Sources', run.sources.length > 0 && `${run.sources.slice(0, 5).join(', ')}${run.sources.length > 5 ? ` and ${run.sources.length - 5} more` : ''}`],
          ['Site', run.url],
        ]}
      />
    </div>
  )
}
