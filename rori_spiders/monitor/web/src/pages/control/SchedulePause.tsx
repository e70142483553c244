import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { Card } from '@/components/layout/Card'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { QueryView } from '@/components/feedback/QueryView'
import { PauseDialog } from '@/components/forms/PauseDialog'
import { Time } from '@/components/data/Time'
import { showToast } from '@/components/feedback/Toast'

/** Whether anything is begun at all, and the switch for it. */
export function SchedulePause({ may }: { may: boolean }) {
  const schedule = useQuery({ queryKey: ['schedule'], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/schedule', { signal })) })
  return (
    <Card title="Schedule">
      <QueryView query={schedule} what="the schedule">
        {({ paused }) => (
          <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
            {paused ? (
              <p className="min-w-0 [overflow-wrap:anywhere]">
                <strong>All sources are paused</strong> since <Time at={paused.at} />
                {paused.by && ` by ${paused.by}`}: {paused.reason}
              </p>
            ) : (
              <p>Active: runs start when due.</p>
            )}
            {may && (paused ? <Resume /> : <Pause />)}
          </div>
        )}
      </QueryView>
    </Card>
  )
}

function Pause() {
  const [asked, setAsked] = useState(false)
  const pause = useAction((reason: string) => unwrap(api.POST('/api/v1/schedule/pause', { body: { reason } })), () => {
    setAsked(false)
    showToast('All sources are paused.')
  })
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)}>
        Pause all sources
      </Button>
      <PauseDialog title="Pause all sources?" open={asked} close={() => setAsked(false)} pause={(reason) => pause.mutate(reason)} busy={pause.isPending} error={pause.error}>
        The schedule starts no runs until someone resumes it. Runs in progress continue.
      </PauseDialog>
    </>
  )
}

function Resume() {
  const [asked, setAsked] = useState(false)
  const resume = useAction(() => unwrap(api.POST('/api/v1/schedule/resume')), () => {
    setAsked(false)
    showToast('Schedule resumed.')
  })
  return (
    <>
      <Button kind="main" onClick={() => setAsked(true)}>
        Resume
      </Button>
      <ConfirmDialog title="Resume all sources?" open={asked} close={() => setAsked(false)} act={() => resume.mutate()} busy={resume.isPending} error={resume.error} does="Resume">
        <p className="text-sm">Runs start again when due. Individually paused sources stay paused.</p>
      </ConfirmDialog>
    </>
  )
}
