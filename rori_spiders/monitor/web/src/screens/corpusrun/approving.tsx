import { answer, api } from '@/api/client'
import { counted } from '@/parts/counted'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { say } from '@/parts/toast'
import type { RunDetail } from '../corpus/shapes'

type Given = { run: RunDetail; close: () => void }

/** Approves the pages that passed every gate, once asked again. */
export function ApproveAll({ run, close }: Given) {
  const approve = useDeed(() => answer(api.POST('/api/corpus/runs/{run_id}/approve-publishable', { params: { path: { run_id: run.run_id } } })), ({ approved }) => {
    close()
    say(approved ? `${counted(approved, 'page')} approved.` : 'All that are publishable were approved before.')
  })
  return (
    <Ask title="Approve all publishable pages?" open close={close} act={() => approve.mutate()} busy={approve.isPending} error={approve.error} does="Approve them">
      <p className="text-sm">
        Approved are the pages that passed every gate and that nobody has looked at. Those that a gate holds wait for a person. Each approval holds until the page’s source text changes.
      </p>
    </Ask>
  )
}

/** Approves the corpus as a whole. */
export function Approve({ run, close }: Given) {
  const approve = useDeed(() => answer(api.POST('/api/corpus/runs/{run_id}/approve', { params: { path: { run_id: run.run_id } } })), () => {
    close()
    say(`The corpus of ${run.domain} is approved.`)
  })
  return (
    <Ask title={`Approve the corpus of ${run.domain}?`} open close={close} act={() => approve.mutate()} busy={approve.isPending} error={approve.error} does="Approve">
      <p className="text-sm">
        {counted(run.counts.approved, 'page')} with approved texts, {run.counts.exclude.toLocaleString()} excluded. Nothing is published by this: that is asked for on its own.
      </p>
    </Ask>
  )
}
