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
  const withdraw = useAction((reason: string) => unwrap(api.POST('/api/corpus/runs/{run_id}/withdraw', { params: { path: { run_id: run.run_id } }, body: { reason } })), () => {
    close()
    showToast('The approval is withdrawn.')
  })
  return (
    <ReasonDialog title="Withdraw the approval?" open close={close} act={(reason) => withdraw.mutate(reason)} busy={withdraw.isPending} error={withdraw.error} does="Withdraw">
      The run is ready for review again; approvals of its pages stay.
    </ReasonDialog>
  )
}

/** Gives the run up. */
export function Cancel({ run, close }: Given) {
  const cancel = useAction((reason: string) => unwrap(api.POST('/api/corpus/runs/{run_id}/cancel', { params: { path: { run_id: run.run_id } }, body: { reason } })), () => {
    close()
    showToast('The run is cancelled.')
  })
  return (
    <ReasonDialog title="Cancel this run?" open close={close} act={(reason) => cancel.mutate(reason)} busy={cancel.isPending} error={cancel.error} does="Cancel the run" danger>
      It cannot be taken up again. What was decided about pages, and which texts were approved, stays for the next run. A process that works on it ends within a minute.
    </ReasonDialog>
  )
}

/** Takes a run that failed up again. */
export function Resume({ run, close }: Given) {
  const resume = useAction(() => unwrap(api.POST('/api/corpus/runs/{run_id}/resume', { params: { path: { run_id: run.run_id } } })), () => {
    close()
    showToast('The run goes on.')
  })
  return (
    <ConfirmDialog title="Resume this run?" open close={close} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
      <p className="text-sm">It goes on where it stopped: {stateLabel(run.stopped_in ?? '')}.</p>
    </ConfirmDialog>
  )
}
