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
  const cancel = useAction(() => unwrap(api.POST('/api/v1/jobs/{job_id}/cancel', { params: { path: { job_id: job.job_id } } })), () => {
    setAsked(false)
    showToast('Cancellation requested.')
  })
  const runs = job.state === 'running'
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)} aria-label={`Cancel job: ${job.sources.join(', ')}`}>
        Cancel
      </Button>
      <ConfirmDialog title="Cancel this job?" open={asked} close={() => setAsked(false)} act={() => cancel.mutate()} busy={cancel.isPending} error={cancel.error} does="Cancel job" danger>
        <p className="text-sm [overflow-wrap:anywhere]">
          {runs ? 'It stops after the pages in progress. Staged pages are kept; the next run continues with the rest.' : 'It will not start.'} Sources:{' '}
          {job.sources.slice(0, 10).join(', ')}
          {job.sources.length > 10 && ` and ${job.sources.length - 10} more`}.
        </p>
      </ConfirmDialog>
    </>
  )
}
