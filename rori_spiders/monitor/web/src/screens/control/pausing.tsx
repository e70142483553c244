import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '@/api/client'
import { Button } from '@/parts/button'
import { Card } from '@/parts/card'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { Loaded } from '@/parts/loaded'
import { PauseDialog } from '@/parts/pausing'
import { Time } from '@/parts/time'
import { say } from '@/parts/toast'

/** Whether anything is begun at all, and the switch for it. */
export function Pausing({ may }: { may: boolean }) {
  const schedule = useQuery({ queryKey: ['schedule'], queryFn: ({ signal }) => answer(api.GET('/api/schedule', { signal })) })
  return (
    <Card title="Schedule">
      <Loaded query={schedule} what="the schedule">
        {({ paused }) => (
          <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
            {paused ? (
              <p className="min-w-0 [overflow-wrap:anywhere]">
                <strong>All sources are paused</strong> since <Time at={paused.at} />
                {paused.by && ` by ${paused.by}`}: {paused.reason}
              </p>
            ) : (
              <p>Runs begin when they are due.</p>
            )}
            {may && (paused ? <Resume /> : <Pause />)}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Pause() {
  const [asked, setAsked] = useState(false)
  const pause = useDeed((reason: string) => answer(api.POST('/api/schedule/pause', { body: { reason } })), () => {
    setAsked(false)
    say('All sources are paused.')
  })
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)}>
        Pause all sources
      </Button>
      <PauseDialog title="Pause all sources?" open={asked} close={() => setAsked(false)} pause={(reason) => pause.mutate(reason)} busy={pause.isPending} error={pause.error}>
        No run begins by the schedule until somebody resumes. Runs that are under way go on to their end.
      </PauseDialog>
    </>
  )
}

function Resume() {
  const [asked, setAsked] = useState(false)
  const resume = useDeed(() => answer(api.POST('/api/schedule/resume')), () => {
    setAsked(false)
    say('The schedule goes on.')
  })
  return (
    <>
      <Button kind="main" onClick={() => setAsked(true)}>
        Resume
      </Button>
      <Ask title="Resume all sources?" open={asked} close={() => setAsked(false)} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
        <p className="text-sm">Runs begin again when they are due. Sources that are paused one by one stay so.</p>
      </Ask>
    </>
  )
}
