import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { Facts } from '@/parts/facts'
import { Heading } from '@/parts/heading'
import { Loaded } from '@/parts/loaded'
import { OnlyLooks } from '@/parts/onlylooks'
import { Time } from '@/parts/time'
import { RunState, stateInWords } from '../corpus/badges'
import { useFresh } from '../corpus/fresh'
import { runQuery } from '../corpus/queries'
import type { RunDetail } from '../corpus/shapes'
import { Acts } from './acts'
import { Questions } from './questions'
import { Pages } from './pages'
import { Steps } from './steps'
import { Tree } from './tree'
import { Working } from './working'

const route = getRouteApi('/corpus/runs/$runId')

/** A run: how far it is, what stands between it and its approval, and its pages by section. */
export function CorpusRunScreen() {
  const { runId } = route.useParams()
  const { operator_may: may } = useSession()
  const run = useQuery(runQuery(runId))
  useFresh(run.data)
  return (
    <Loaded query={run} what="the run" screen>
      {(found) => (
        <>
          <Heading title={`Corpus of ${found.domain}`}>
            <RunState state={found.state} />
          </Heading>
          <Steps run={found} />
          <About run={found} />
          {!may && <OnlyLooks>only operators decide about pages, approve and publish.</OnlyLooks>}
          <Working run={found} may={may} />
          <Questions run={found} />
          {may && <Acts run={found} />}
          <div className="grid items-start gap-4 lg:grid-cols-[18rem_1fr]">
            <Tree run={found} />
            <Pages run={found} may={may && found.may.includes('decide')} />
          </div>
        </>
      )}
    </Loaded>
  )
}

function About({ run }: { run: RunDetail }) {
  return (
    <div className="mb-4">
      <Facts
        across
        facts={[
          ['Domain', <Link key="domain" to="/corpus/$domain" params={{ domain: run.domain }} className="text-accent underline">{run.domain}</Link>],
          ['Kind', run.kind === 'delta' ? `what changed since version ${run.base_version ?? '?'}` : 'the whole domain'],
          ['Begun', <span key="begun"><Time at={run.started_at} /> by {run.requested_by}</span>],
          [`${stateInWords(run.state)} since`, <Time key="since" at={run.moved_at} />],
          ['Model', run.model ?? 'none: rules alone'],
          ['Sources', run.sources.length > 0 && `${run.sources.slice(0, 5).join(', ')}${run.sources.length > 5 ? ` and ${run.sources.length - 5} more` : ''}`],
          ['Site', run.url],
        ]}
      />
    </div>
  )
}
