import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { PauseDialog } from '@/components/forms/PauseDialog'
import { showToast } from '@/components/feedback/Toast'
import { NextRunDialog } from './NextRunDialog'

type Asked = 'run' | 'pause' | 'resume' | 'next' | null

/** What an operator may do with one source. */
export function Actions({ id, name, paused }: { id: string; name: string; paused: boolean }) {
  const [asked, setAsked] = useState<Asked>(null)
  const close = () => setAsked(null)
  return (
    <div className="flex flex-wrap gap-2">
      <Button kind="main" onClick={() => setAsked('run')}>
        Run now
      </Button>
      <Button onClick={() => setAsked('next')}>Next run …</Button>
      {paused ? <Button onClick={() => setAsked('resume')}>Resume</Button> : <Button onClick={() => setAsked('pause')}>Pause</Button>}
      <RunNow id={id} name={name} open={asked === 'run'} close={close} />
      <Pause id={id} name={name} open={asked === 'pause'} close={close} />
      <Resume id={id} name={name} open={asked === 'resume'} close={close} />
      {asked === 'next' && <NextRunDialog id={id} name={name} close={close} />}
    </div>
  )
}

type Given = { id: string; name: string; open: boolean; close: () => void }

function RunNow({ id, name, open, close }: Given) {
  const run = useAction(() => unwrap(api.POST('/api/v1/jobs', { body: { sources: [id] } })), ({ refused }) => {
    const [no] = refused
    if (no) showToast(`${name} was not queued: ${no.why}`, { bad: true })
    else showToast(`${name} was queued.`)
    close()
  })
  return (
    <ConfirmDialog title={`Run ${name} now?`} open={open} close={close} act={() => run.mutate()} busy={run.isPending} error={run.error} does="Run">
      <p className="text-sm">Runs now even if not due. The usual request delay applies.</p>
    </ConfirmDialog>
  )
}

function Pause({ id, name, open, close }: Given) {
  const pause = useAction((reason: string) => unwrap(api.POST('/api/v1/sources/{source_id}/pause', { params: { path: { source_id: id } }, body: { reason } })), () => {
    showToast(`${name} is paused.`)
    close()
  })
  return (
    <PauseDialog title={`Pause ${name}?`} open={open} close={close} pause={(reason) => pause.mutate(reason)} busy={pause.isPending} error={pause.error}>
      The schedule skips it until someone resumes it. A run in progress continues.
    </PauseDialog>
  )
}

function Resume({ id, name, open, close }: Given) {
  const resume = useAction(() => unwrap(api.POST('/api/v1/sources/{source_id}/resume', { params: { path: { source_id: id } } })), () => {
    showToast(`${name} was resumed.`)
    close()
  })
  return (
    <ConfirmDialog title={`Resume ${name}?`} open={open} close={close} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
      <p className="text-sm">It runs again when due. The count of consecutive failures is reset.</p>
    </ConfirmDialog>
  )
}
