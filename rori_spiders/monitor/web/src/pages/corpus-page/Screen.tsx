import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { Heading } from '@/components/layout/Heading'
import { QueryView } from '@/components/feedback/QueryView'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { EmptyState } from '@/components/feedback/states'
import { TAB_CLASS, Tabs } from '@/components/layout/Tabs'
import { PageStateBadges } from '@/pages/corpus/StateBadges'
import { useRefreshOnChange } from '@/pages/corpus/useRefreshOnChange'
import { pageName } from '@/pages/corpus/pageName'
import { pageQuery, runQuery } from '@/pages/corpus/queries'
import { About } from './About'
import { Actions } from './Actions'
import { Diff } from './Diff'
import { Findings } from './Findings'
import { History } from './History'
import { PageNavigation } from './PageNavigation'
import { Referrers } from './Referrers'
import { Removals } from './Removals'
import { Texts } from './Texts'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')
const TABS = [
  [undefined, 'Cleaning diff'],
  ['texts', 'Side by side'],
  ['out', 'Removals and model log'],
  ['history', 'History'],
] as const

/** One page of a run: what was decided and why, its text as converted and as cleaned, and what to do about it. */
export function CorpusPageScreen() {
  const { runId, pageId } = route.useParams()
  const search = route.useSearch()
  const { operator_may: may } = useSession()
  const page = useQuery(pageQuery(runId, pageId))
  const run = useQuery(runQuery(runId))
  useRefreshOnChange(run.data)
  return (
    <QueryView query={page} what="the page" screen>
      {(found) => (
        <div key={pageId}>
          <PageNavigation runId={runId} pageId={pageId} domain={found.domain} />
          <Heading title={pageName(found)}>
            <PageStateBadges page={found} />
          </Heading>
          {!may && <ViewerNotice>Only operators can decide about pages and approve texts.</ViewerNotice>}
          {may && run.data && <Actions page={found} run={run.data} />}
          <Findings page={found} />
          <About page={found} />
          <Referrers page={found} />
          <Tabs label="Sections of this page">
            {TABS.map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={(now) => ({ ...now, tab: name })} replace aria-current={search.tab === name ? 'page' : undefined} className={TAB_CLASS}>
                {label}
              </Link>
            ))}
          </Tabs>
          {search.tab === 'history' ? (
            <History page={found} />
          ) : !found.texts.length ? (
            <EmptyState title="No text in this run.">{found.got_reason ?? (found.decision === 'include' ? 'The text appears once the run has fetched the page.' : 'Only included pages are fetched.')}</EmptyState>
          ) : search.tab === 'texts' ? (
            <Texts page={found} />
          ) : search.tab === 'out' ? (
            <Removals page={found} />
          ) : (
            <Diff page={found} />
          )}
        </div>
      )}
    </QueryView>
  )
}
