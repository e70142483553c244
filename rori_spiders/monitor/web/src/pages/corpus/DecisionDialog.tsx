import { unwrap, api } from '@/api/client'
import { useAction } from '@/components/forms/useAction'
import { showToast } from '@/components/feedback/Toast'
import { ReasonDialog } from '@/components/forms/ReasonDialog'
import { pageName } from './pageName'
import type { PageRow } from './types'

/** null: the rules decide again. */
export type Wanted = 'include' | 'exclude' | null
/** Who excludes forty pages that failed types their reason once. */
let lastReason = ''

/** A decision about a page, with its reason. It holds for this run and all later ones. */
export function DecisionDialog({ runId, page, wanted, close }: { runId: string; page: Pick<PageRow, 'page_id' | 'url' | 'title' | 'document'>; wanted: Wanted; close: () => void }) {
  const name = pageName(page)
  const decide = useAction(
    (reason: string) => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/pages/{page_id}/decision', { params: { path: { run_id: runId, page_id: page.page_id } }, body: { decision: wanted, reason } })),
    (_, reason) => {
      lastReason = reason
      close()
      showToast(wanted ? `${wanted === 'include' ? 'Included' : 'Excluded'}: ${name}` : `Decision cleared: ${name}`)
    },
  )
  const does = wanted === 'include' ? 'Include' : wanted === 'exclude' ? 'Exclude' : 'Clear decision'
  return (
    <ReasonDialog title={wanted ? `${does} this page?` : 'Clear the decision about this page?'} open close={close} act={(reason) => decide.mutate(reason)} busy={decide.isPending} error={decide.error} does={does} usual={lastReason} hint="Recorded with your name; also applies to later runs.">
      <p className="font-medium">{name}</p>
      <p className="text-quiet">{page.url}</p>
      {wanted === 'include' && !page.document && <p className="mt-2">The page has no text in this run yet. The run returns to fetching and cleaning it.</p>}
      {wanted === null && <p className="mt-2">Rules decide in later runs; in this run the page needs a decision.</p>}
    </ReasonDialog>
  )
}
