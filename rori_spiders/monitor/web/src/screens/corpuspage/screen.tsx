import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { Heading } from '@/parts/heading'
import { Loaded } from '@/parts/loaded'
import { OnlyLooks } from '@/parts/onlylooks'
import { Empty } from '@/parts/states'
import { TAB, Tabs } from '@/parts/tabs'
import { Standing } from '../corpus/badges'
import { useFresh } from '../corpus/fresh'
import { named } from '../corpus/named'
import { pageQuery, runQuery } from '../corpus/queries'
import { About } from './about'
import { Acts } from './acts'
import { Differing } from './differing'
import { Findings } from './findings'
import { History } from './history'
import { Moves } from './moves'
import { TakenOut } from './takenout'
import { Texts } from './texts'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')
const TABS = [
  [undefined, 'What cleaning changed'],
  ['texts', 'Texts beside each other'],
  ['out', 'Taken out, and the model'],
  ['history', 'History'],
] as const

/** One page of a run: what was decided and why, its text as converted and as cleaned, and what to do about it. */
export function CorpusPageScreen() {
  const { runId, pageId } = route.useParams()
  const search = route.useSearch()
  const { operator_may: may } = useSession()
  const page = useQuery(pageQuery(runId, pageId))
  const run = useQuery(runQuery(runId))
  useFresh(run.data)
  return (
    <Loaded query={page} what="the page" screen>
      {(found) => (
        <div key={pageId}>
          <Moves runId={runId} pageId={pageId} domain={found.domain} />
          <Heading title={named(found)}>
            <Standing page={found} />
          </Heading>
          {!may && <OnlyLooks>only operators decide about pages and approve texts.</OnlyLooks>}
          {may && run.data && <Acts page={found} run={run.data} />}
          <Findings page={found} />
          <About page={found} />
          <Tabs label="Parts of this page">
            {TABS.map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={(now) => ({ ...now, tab: name })} replace aria-current={search.tab === name ? 'page' : undefined} className={TAB}>
                {label}
              </Link>
            ))}
          </Tabs>
          {search.tab === 'history' ? (
            <History page={found} />
          ) : !found.texts.length ? (
            <Empty title="It has no text in this run.">{found.got_reason ?? (found.decision === 'include' ? 'It comes when the run gets there.' : 'Only included pages get one.')}</Empty>
          ) : search.tab === 'texts' ? (
            <Texts page={found} />
          ) : search.tab === 'out' ? (
            <TakenOut page={found} />
          ) : (
            <Differing page={found} />
          )}
        </div>
      )}
    </Loaded>
  )
}
