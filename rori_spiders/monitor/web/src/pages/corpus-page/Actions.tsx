import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '@/components/forms/Button'
import { DecisionDialog } from '@/pages/corpus/DecisionDialog'
import { KeyHint } from '@/pages/corpus/KeyHint'
import { useKeys } from '@/lib/useKeys'
import type { PageDetail, RunDetail } from '@/pages/corpus/types'
import { ApproveText, CleanAgain, RejectText } from './ReviewDialogs'
import { useNeighbours } from './useNeighbours'

const route = getRouteApi('/corpus/runs/$runId/pages/$pageId')
type Doing = 'approve' | 'reject' | 'clean' | 'include' | 'exclude' | 'back'
type Given = { name: Doing; label: string; key: string; main?: boolean }

/** What an operator may do about the page as it is; each by a key, too. */
export function Actions({ page, run }: { page: PageDetail; run: RunDetail }) {
  const [doing, setDoing] = useState<Doing>()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { after } = useNeighbours(run.run_id, page.page_id, search)
  const acts = possible(page, run)
  useKeys(Object.fromEntries(acts.map((act) => [act.key, () => setDoing(act.name)])))
  if (!acts.length) return null
  const close = () => setDoing(undefined)
  // Who has looked at a text wants the next one.
  const on = () => {
    close()
    if (after) void navigate({ params: { runId: run.run_id, pageId: after.pageId }, search: (now) => ({ ...now, offset: after.offset }) })
  }
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      {acts.map((act) => (
        <Button key={act.name} kind={act.main ? 'main' : 'plain'} aria-keyshortcuts={act.key} onClick={() => setDoing(act.name)}>
          {act.label} <KeyHint name={act.key} />
        </Button>
      ))}
      {doing === 'approve' && <ApproveText page={page} close={close} done={on} />}
      {doing === 'reject' && <RejectText page={page} close={close} />}
      {doing === 'clean' && <CleanAgain page={page} close={close} />}
      {(doing === 'include' || doing === 'exclude') && <DecisionDialog runId={run.run_id} page={page} wanted={doing} close={close} />}
      {doing === 'back' && <DecisionDialog runId={run.run_id} page={page} wanted={null} close={close} />}
    </div>
  )
}

function possible(page: PageDetail, run: RunDetail): Given[] {
  const [decides, reviews] = [run.may.includes('decide'), run.may.includes('review')]
  const included = page.decision === 'include'
  const text = included && reviews && page.document !== null
  const actions: (Given | false)[] = [
    text && page.gate !== 'excluded' && page.review !== 'approved' && { name: 'approve', label: 'Approve …', key: 'a', main: true },
    text && page.review !== 'rejected' && { name: 'reject', label: 'Reject …', key: 'r' },
    included && reviews && page.texts.includes('raw') && { name: 'clean', label: 'Clean again …', key: 'c' },
    decides && !included && { name: 'include', label: 'Include …', key: 'i' },
    decides && page.decision !== 'exclude' && { name: 'exclude', label: 'Exclude …', key: 'e' },
    decides && page.decided_by === 'override' && { name: 'back', label: 'Clear decision …', key: 't' },
  ]
  return actions.filter((one) => one !== false)
}
