import { unwrap, api } from '@/api/client'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { showToast } from '@/components/feedback/Toast'
import { ReasonDialog } from '@/components/forms/ReasonDialog'
import { stateLabel } from '@/pages/corpus/StateBadges'
import type { RunDetail } from '@/pages/corpus/types'

type Given = { run: RunDetail; close: () => void }

/** Takes the approval of the corpus back. */
export function Withdraw({ run, close }: Given) {
  const withdraw = useAction((reason: string) => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/withdraw', { params: { path: { run_id: run.run_id } }, body: { reason } })), () => {
    close()
    showToast('Approval withdrawn.')
  })
  return (
    <ReasonDialog title="Withdraw the approval?" open close={close} act={(reason) => withdraw.mutate(reason)} busy={withdraw.isPending} error={withdraw.error} does="Withdraw">
      The run returns to review. Page approvals are kept.
    </ReasonDialog>
  )
}

/** Gives the run up. */
export function Cancel({ run, close }: Given) {
  const cancel = useAction((reason: string) => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/cancel', { params: { path: { run_id: run.run_id } }, body: { reason } })), () => {
    close()
    showToast('Run cancelled.')
  })
  return (
    <ReasonDialog title="Cancel this run?" open close={close} act={(reason) => cancel.mutate(reason)} busy={cancel.isPending} error={cancel.error} does="Cancel run" danger>
      A cancelled run cannot be resumed. Decisions and approvals are kept for the next run. A running worker stops within a minute.
    </ReasonDialog>
  )
}

/** Takes a run that failed up again. */
export function Resume({ run, close }: Given) {
  const resume = useAction(() => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/resume', { params: { path: { run_id: run.run_id } } })), () => {
    close()
    showToast('Run resumed.')
  })
  return (
    <ConfirmDialog title="Resume this run?" open close={close} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
      <p className="text-sm">Resumes where it stopped: {stateLabel(run.stopped_in ?? '')}.</p>
    </ConfirmDialog>
  )
}
