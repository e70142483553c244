import { unwrap, api } from '@/api/client'
import { pluralize } from '@/lib/pluralize'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { showToast } from '@/components/feedback/Toast'
import type { RunDetail } from '@/pages/corpus/types'

type Given = { run: RunDetail; close: () => void }

/** Approves the pages that passed every gate, once asked again. */
export function ApproveAll({ run, close }: Given) {
  const approve = useAction(() => unwrap(api.POST('/api/corpus/runs/{run_id}/approve-publishable', { params: { path: { run_id: run.run_id } } })), ({ approved }) => {
    close()
    showToast(approved ? `${pluralize(approved, 'page')} approved.` : 'All that are publishable were approved before.')
  })
  return (
    <ConfirmDialog title="Approve all publishable pages?" open close={close} act={() => approve.mutate()} busy={approve.isPending} error={approve.error} does="Approve them">
      <p className="text-sm">
        Approved are the pages that passed every gate and that nobody has looked at. Those that a gate holds wait for a person. Each approval holds until the page’s source text changes.
      </p>
    </ConfirmDialog>
  )
}

/** Approves the corpus as a whole. */
export function Approve({ run, close }: Given) {
  const approve = useAction(() => unwrap(api.POST('/api/corpus/runs/{run_id}/approve', { params: { path: { run_id: run.run_id } } })), () => {
    close()
    showToast(`The corpus of ${run.domain} is approved.`)
  })
  return (
    <ConfirmDialog title={`Approve the corpus of ${run.domain}?`} open close={close} act={() => approve.mutate()} busy={approve.isPending} error={approve.error} does="Approve">
      <p className="text-sm">
        {pluralize(run.counts.approved, 'page')} with approved texts, {run.counts.exclude.toLocaleString()} excluded. Nothing is published by this: that is asked for on its own.
      </p>
    </ConfirmDialog>
  )
}
