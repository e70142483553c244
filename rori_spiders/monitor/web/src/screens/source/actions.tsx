import { useState } from 'react'
import { answer, api } from '@/api/client'
import { Button } from '@/parts/button'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { PauseDialog } from '@/parts/pausing'
import { say } from '@/parts/toast'
import { NextRun } from './next'

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
      {asked === 'next' && <NextRun id={id} name={name} close={close} />}
    </div>
  )
}

type Given = { id: string; name: string; open: boolean; close: () => void }

function RunNow({ id, name, open, close }: Given) {
  const run = useDeed(() => answer(api.POST('/api/jobs', { body: { sources: [id] } })), ({ refused }) => {
    const [no] = refused
    if (no) say(`${name} does not run: ${no.why}`, { bad: true })
    else say(`${name} waits for its turn.`)
    close()
  })
  return (
    <Ask title={`Run ${name} now?`} open={open} close={close} act={() => run.mutate()} busy={run.isPending} error={run.error} does="Run">
      <p className="text-sm">Its pages are fetched as slowly as ever, whether they are due or not.</p>
    </Ask>
  )
}

function Pause({ id, name, open, close }: Given) {
  const pause = useDeed((reason: string) => answer(api.POST('/api/sources/{source_id}/pause', { params: { path: { source_id: id } }, body: { reason } })), () => {
    say(`${name} is paused.`)
    close()
  })
  return (
    <PauseDialog title={`Pause ${name}?`} open={open} close={close} pause={(reason) => pause.mutate(reason)} busy={pause.isPending} error={pause.error}>
      It is not run by the schedule until somebody resumes it. A run that is under way goes on to its end.
    </PauseDialog>
  )
}

function Resume({ id, name, open, close }: Given) {
  const resume = useDeed(() => answer(api.POST('/api/sources/{source_id}/resume', { params: { path: { source_id: id } } })), () => {
    say(`${name} is run again when it is due.`)
    close()
  })
  return (
    <Ask title={`Resume ${name}?`} open={open} close={close} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
      <p className="text-sm">It is run again when it is due; failures in a row are counted from none.</p>
    </Ask>
  )
}
