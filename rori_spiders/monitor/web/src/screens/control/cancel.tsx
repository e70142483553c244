import { useState } from 'react'
import { answer, api } from '@/api/client'
import { Button } from '@/parts/button'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { say } from '@/parts/toast'
import type { Job } from './shapes'

/** Ends a job, once asked again. */
export function Cancel({ job }: { job: Job }) {
  const [asked, setAsked] = useState(false)
  const cancel = useDeed(() => answer(api.POST('/api/jobs/{job_id}/cancel', { params: { path: { job_id: job.job_id } } })), () => {
    setAsked(false)
    say('The job was told to end.')
  })
  const runs = job.state === 'running'
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)} aria-label={`Cancel the job of ${job.sources.join(', ')}`}>
        Cancel
      </Button>
      <Ask title="Cancel this job?" open={asked} close={() => setAsked(false)} act={() => cancel.mutate()} busy={cancel.isPending} error={cancel.error} does="Cancel the job" danger>
        <p className="text-sm [overflow-wrap:anywhere]">
          {runs ? 'It ends after the pages that are under way. What it has staged stays; the rest is taken up by the next run.' : 'It does not begin.'} Its sources:{' '}
          {job.sources.slice(0, 10).join(', ')}
          {job.sources.length > 10 && ` and ${job.sources.length - 10} more`}.
        </p>
      </Ask>
    </>
  )
}
