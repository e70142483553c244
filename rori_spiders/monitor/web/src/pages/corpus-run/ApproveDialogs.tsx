import { unwrap, api } from '@/api/client'
import { pluralize } from '@/lib/pluralize'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { showToast } from '@/components/feedback/Toast'
import type { RunDetail } from '@/pages/corpus/types'

type Given = { run: RunDetail; close: () => void }

/** Approves the pages that passed every gate, once asked again. */
export function ApproveAll({ run, close }: Given) {
  const approve = useAction(() => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/approve-publishable', { params: { path: { run_id: run.run_id } } })), ({ approved }) => {
    close()
    showToast(approved ? `${pluralize(approved, 'page')} approved.` : 'All publishable pages were already approved.')
  })
  return (
    <ConfirmDialog title="Approve all publishable pages?" open close={close} act={() => approve.mutate()} busy={approve.isPending} error={approve.error} does="Approve all">
      <p className="text-sm">
        Approves pages that passed every check and have no review yet. Pages held by a check still need a reviewer. An approval stays valid until the page’s source text changes.
      </p>
    </ConfirmDialog>
  )
}

/** Approves the corpus as a whole. */
export function Approve({ run, close }: Given) {
  const approve = useAction(() => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/approve', { params: { path: { run_id: run.run_id } } })), () => {
    close()
    showToast(`The corpus of ${run.domain} is approved.`)
  })
  return (
    <ConfirmDialog title={`Approve the corpus of ${run.domain}?`} open close={close} act={() => approve.mutate()} busy={approve.isPending} error={approve.error} does="Approve">
      <p className="text-sm">
        {pluralize(run.counts.approved, 'page')} with approved texts, {run.counts.exclude.toLocaleString()} excluded. Approving does not publish; publish separately.
      </p>
    </ConfirmDialog>
  )
}
