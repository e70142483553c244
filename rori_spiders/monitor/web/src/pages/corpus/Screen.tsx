import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { pluralize } from '@/lib/pluralize'
import { Heading } from '@/components/layout/Heading'
import { QueryView } from '@/components/feedback/QueryView'
import { ViewerNotice } from '@/components/feedback/ViewerNotice'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { RunStateBadge } from './StateBadges'
import { StartRun } from './StartRun'
import { LoaderState } from './Loader'
import { corporaQuery } from './queries'
import type { Domain } from './types'
import { countsInWords } from './pageFilters'

/** The domains that have a corpus, with the run that goes on and what is published. */
export function Corpora() {
  const { operator_may: may } = useSession()
  const corpora = useQuery(corporaQuery)
  return (
    <>
      <Heading title="Corpus" />
      {!may && <ViewerNotice>Only operators can decide, approve and publish.</ViewerNotice>}
      <QueryView query={corpora} what="the corpora">
        {({ items, others }) => (
          <>
            {items.length ? <Table caption="Corpora" columns={COLUMNS} rows={items} id={(one) => one.domain} /> : <EmptyState title="No corpora yet.">A run maps a domain, selects pages, cleans their text, and then waits for review.</EmptyState>}
            {may && <StartRun others={others} />}
          </>
        )}
      </QueryView>
    </>
  )
}

const COLUMNS: Column<Domain>[] = [
  {
    key: 'domain',
    title: 'Domain',
    cell: ({ domain }) => (
      <Link to="/corpus/$domain" params={{ domain }} className="font-medium text-accent underline [overflow-wrap:anywhere]">
        {domain}
      </Link>
    ),
  },
  {
    key: 'run',
    title: 'Run',
    cell: ({ run, domain }) =>
      run && (
        <span className="inline-flex flex-wrap items-center gap-2">
          <RunStateBadge state={run.state} />
          <Link to="/corpus/runs/$runId" params={{ runId: run.run_id }} className="text-accent underline" aria-label={`${run.turn === 'person' ? 'Review' : 'View'}: run of ${domain}`}>
            {run.turn === 'person' ? 'Review' : 'View'}
          </Link>
        </span>
      ),
  },
  { key: 'since', title: 'Since', cell: ({ run }) => run && <Time at={run.moved_at} relative /> },
  { key: 'by', title: 'Started by', cell: ({ run }) => run && <span className="[overflow-wrap:anywhere]">{run.requested_by}</span> },
  { key: 'pages', title: 'Pages', cell: ({ counts }) => counts && <span className="md:block md:max-w-80">{countsInWords(counts) || pluralize(counts.pages, 'page')}</span> },
  { key: 'waiting', title: 'To review', end: true, cell: ({ counts, run }) => counts && run?.turn === 'person' && counts.waiting.toLocaleString() },
  { key: 'published', title: 'Published', cell: ({ latest }) => latest && `v${latest.version}, ${pluralize(latest.pages ?? 0, 'page')}` },
  { key: 'loader', title: 'Loader', cell: ({ latest }) => latest && <LoaderState version={latest} /> },
]
