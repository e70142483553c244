import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '@/api/session'
import { counted } from '@/parts/counted'
import { Heading } from '@/parts/heading'
import { Loaded } from '@/parts/loaded'
import { OnlyLooks } from '@/parts/onlylooks'
import { Empty } from '@/parts/states'
import { Table, type Column } from '@/parts/table'
import { Time } from '@/parts/time'
import { RunState } from './badges'
import { Begin } from './begin'
import { LoaderState } from './loader'
import { corporaQuery } from './queries'
import type { Domain } from './shapes'
import { inWords } from './shown'

/** The domains that have a corpus, with the run that goes on and what is published. */
export function Corpora() {
  const { operator_may: may } = useSession()
  const corpora = useQuery(corporaQuery)
  return (
    <>
      <Heading title="Corpus" />
      {!may && <OnlyLooks>you see every run and its pages, but only operators decide, approve and publish.</OnlyLooks>}
      <Loaded query={corpora} what="the corpora">
        {({ items, others }) => (
          <>
            {items.length ? <Table caption="Corpora" columns={COLUMNS} rows={items} id={(one) => one.domain} /> : <Empty title="No corpus was begun yet.">A run maps a domain, decides about its pages, cleans their texts, and waits for a person.</Empty>}
            {may && <Begin others={others} />}
          </>
        )}
      </Loaded>
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
          <RunState state={run.state} />
          <Link to="/corpus/runs/$runId" params={{ runId: run.run_id }} className="text-accent underline" aria-label={`${run.turn === 'person' ? 'Review' : 'Look'}: the run of ${domain}`}>
            {run.turn === 'person' ? 'Review' : 'Look'}
          </Link>
        </span>
      ),
  },
  { key: 'since', title: 'Since', cell: ({ run }) => run && <Time at={run.moved_at} relative /> },
  { key: 'by', title: 'Begun by', cell: ({ run }) => run && <span className="[overflow-wrap:anywhere]">{run.requested_by}</span> },
  { key: 'pages', title: 'Pages of the run', cell: ({ counts }) => counts && <span className="md:block md:max-w-80">{inWords(counts) || counted(counts.pages, 'page')}</span> },
  { key: 'waiting', title: 'To look at', end: true, cell: ({ counts, run }) => counts && run?.turn === 'person' && counts.waiting.toLocaleString() },
  { key: 'published', title: 'Published', cell: ({ latest }) => latest && `v${latest.version}, ${counted(latest.pages ?? 0, 'page')}` },
  { key: 'loader', title: 'Loader', cell: ({ latest }) => latest && <LoaderState version={latest} /> },
]
