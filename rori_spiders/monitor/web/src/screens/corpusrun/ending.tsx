import { answer, api } from '@/api/client'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { say } from '@/parts/toast'
import { AskWhy } from '@/parts/why'
import { stateInWords } from '../corpus/badges'
import type { RunDetail } from '../corpus/shapes'

type Given = { run: RunDetail; close: () => void }

/** Takes the approval of the corpus back. */
export function Withdraw({ run, close }: Given) {
  const withdraw = useDeed((reason: string) => answer(api.POST('/api/corpus/runs/{run_id}/withdraw', { params: { path: { run_id: run.run_id } }, body: { reason } })), () => {
    close()
    say('The approval is withdrawn.')
  })
  return (
    <AskWhy title="Withdraw the approval?" open close={close} act={(reason) => withdraw.mutate(reason)} busy={withdraw.isPending} error={withdraw.error} does="Withdraw">
      The run is ready for review again; approvals of its pages stay.
    </AskWhy>
  )
}

/** Gives the run up. */
export function Cancel({ run, close }: Given) {
  const cancel = useDeed((reason: string) => answer(api.POST('/api/corpus/runs/{run_id}/cancel', { params: { path: { run_id: run.run_id } }, body: { reason } })), () => {
    close()
    say('The run is cancelled.')
  })
  return (
    <AskWhy title="Cancel this run?" open close={close} act={(reason) => cancel.mutate(reason)} busy={cancel.isPending} error={cancel.error} does="Cancel the run" danger>
      It cannot be taken up again. What was decided about pages, and which texts were approved, stays for the next run. A process that works on it ends within a minute.
    </AskWhy>
  )
}

/** Takes a run that failed up again. */
export function Resume({ run, close }: Given) {
  const resume = useDeed(() => answer(api.POST('/api/corpus/runs/{run_id}/resume', { params: { path: { run_id: run.run_id } } })), () => {
    close()
    say('The run goes on.')
  })
  return (
    <Ask title="Resume this run?" open close={close} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
      <p className="text-sm">It goes on where it stopped: {stateInWords(run.stopped_in ?? '')}.</p>
    </Ask>
  )
}
