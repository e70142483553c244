import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SafeLink } from '@/components/data/SafeLink'
import { Table, type Column } from '@/components/data/Table'
import { PageStateBadges } from '@/pages/corpus/StateBadges'
import { DecisionDialog, type Wanted } from '@/pages/corpus/DecisionDialog'
import { KeyHint } from '@/pages/corpus/KeyHint'
import { useKeys } from '@/lib/useKeys'
import { pageName } from '@/pages/corpus/pageName'
import type { PageRow } from '@/pages/corpus/types'
import type { Chosen } from '@/pages/corpus/pageFilters'
import { useRowNavigation } from './useRowNavigation'

/** Rows of pages: j and k go through them, i and e decide about the one that has the focus. */
export function Rows({ runId, pages, search, may, busy }: { runId: string; pages: readonly PageRow[]; search: Chosen; may: boolean; busy: boolean }) {
  const [asked, setAsked] = useState<{ page: PageRow; wanted: Wanted }>()
  const { frame, at, go } = useRowNavigation(pages)
  const navigate = useNavigate()
  const decide = (wanted: Wanted) => {
    const page = pages[at()]
    if (page) setAsked({ page, wanted })
  }
  const open = () => {
    const page = pages[at()]
    if (page) void navigate({ to: '/corpus/runs/$runId/pages/$pageId', params: { runId, pageId: page.page_id }, search })
  }
  useKeys({ j: () => go(1), k: () => go(-1), o: open, i: may ? () => decide('include') : undefined, e: may ? () => decide('exclude') : undefined })
  const name: Column<PageRow> = {
    key: 'page',
    title: 'Page',
    cell: (page) => (
      <div className="min-w-0 md:w-80">
        <Link data-row="" to="/corpus/runs/$runId/pages/$pageId" params={{ runId, pageId: page.page_id }} search={search} className="text-accent underline [overflow-wrap:anywhere]">
          {pageName(page)}
        </Link>
        <div className="text-xs">
          <SafeLink url={page.url} />
        </div>
      </div>
    ),
  }
  const acts: Column<PageRow> = {
    key: 'acts',
    title: 'Decide',
    cell: (page) => (
      <span className="inline-flex gap-3">
        {page.decision !== 'include' && <Act does="Include" page={page} ask={() => setAsked({ page, wanted: 'include' })} />}
        {page.decision !== 'exclude' && <Act does="Exclude" page={page} ask={() => setAsked({ page, wanted: 'exclude' })} />}
      </span>
    ),
  }
  return (
    <div ref={frame}>
      <p className="mb-2 text-sm text-quiet max-md:hidden">
        Keys: <KeyHint name="j" /> next, <KeyHint name="k" /> previous, <KeyHint name="o" /> open
        {may && (
          <>
            , <KeyHint name="i" /> include, <KeyHint name="e" /> exclude
          </>
        )}
      </p>
      <Table caption="Pages" columns={may ? [name, ...COLUMNS, acts] : [name, ...COLUMNS]} rows={pages} id={(page) => page.page_id} busy={busy} />
      {asked && <DecisionDialog key={`${asked.page.page_id} ${asked.wanted}`} runId={runId} page={asked.page} wanted={asked.wanted} close={() => setAsked(undefined)} />}
    </div>
  )
}

function Act({ does, page, ask }: { does: string; page: PageRow; ask: () => void }) {
  return (
    <button type="button" onClick={ask} aria-label={`${does} ${pageName(page)} …`} className="min-h-6 text-accent underline">
      {does}
    </button>
  )
}

const COLUMNS: Column<PageRow>[] = [
  { key: 'status', title: 'Status', cell: (page) => <PageStateBadges page={page} /> },
  { key: 'why', title: 'Reason', cell: (page) => <Why page={page} /> },
  { key: 'flags', title: 'Flags', cell: (page) => page.flags.length > 0 && <span className="text-xs [overflow-wrap:anywhere]">{page.flags.map((flag) => flag.replaceAll('_', ' ')).join(', ')}</span> },
]

/** The reason, and who gave it; of a page without a text, why there is none. */
function Why({ page }: { page: PageRow }) {
  const by = page.decided_by === 'override' ? `by ${page.rule ?? 'a person'}` : page.rule && `${page.decided_by ?? ''} ${page.rule}`
  const sure = page.confidence !== null && page.confidence < 1 ? `, ${Math.round(page.confidence * 100)} % sure` : ''
  return (
    <span className="min-w-0 md:block md:min-w-72 [overflow-wrap:anywhere]">
      {page.reason}
      {by && (
        <span className="text-quiet">
          {' '}
          ({by}
          {sure})
        </span>
      )}
      {page.decision === 'include' && page.got_reason && <span className="block text-bad">{page.got_reason}</span>}
    </span>
  )
}
