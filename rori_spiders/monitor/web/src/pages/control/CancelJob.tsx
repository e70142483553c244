import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { showToast } from '@/components/feedback/Toast'
import type { Job } from './types'

/** Ends a job, once asked again. */
export function CancelJob({ job }: { job: Job }) {
  const [asked, setAsked] = useState(false)
  const cancel = useAction(() => unwrap(api.POST('/api/jobs/{job_id}/cancel', { params: { path: { job_id: job.job_id } } })), () => {
    setAsked(false)
    showToast('The job was told to end.')
  })
  const runs = job.state === 'running'
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)} aria-label={`Cancel the job of ${job.sources.join(', ')}`}>
        Cancel
      </Button>
      <ConfirmDialog title="Cancel this job?" open={asked} close={() => setAsked(false)} act={() => cancel.mutate()} busy={cancel.isPending} error={cancel.error} does="Cancel the job" danger>
        <p className="text-sm [overflow-wrap:anywhere]">
          {runs ? 'It ends after the pages that are under way. What it has staged stays; the rest is taken up by the next run.' : 'It does not begin.'} Its sources:{' '}
          {job.sources.slice(0, 10).join(', ')}
          {job.sources.length > 10 && ` and ${job.sources.length - 10} more`}.
        </p>
      </ConfirmDialog>
    </>
  )
}
