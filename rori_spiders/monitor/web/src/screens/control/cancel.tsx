import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '@/api/client'
import { Button } from '@/parts/button'
import { Ask } from '@/parts/dialog'
import { Trouble } from '@/parts/states'
import { say } from '@/parts/toast'
import type { Job } from './shapes'

/** Ends a job, once asked again. */
export function Cancel({ job }: { job: Job }) {
  const [asked, setAsked] = useState(false)
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => answer(api.POST('/api/jobs/{job_id}/cancel', { params: { path: { job_id: job.job_id } } })),
    onSuccess: () => {
      setAsked(false)
      say('The job was told to end.')
      void queries.invalidateQueries()
    },
  })
  const runs = job.state === 'running'
  return (
    <>
      <Button kind="danger" onClick={() => setAsked(true)} aria-label={`Cancel the job of ${job.sources.join(', ')}`}>
        Cancel
      </Button>
      <Ask title="Cancel this job?" open={asked} close={() => setAsked(false)} act={() => cancel.mutate()} busy={cancel.isPending} does="Cancel the job" danger>
        <p className="text-sm [overflow-wrap:anywhere]">
          {runs ? 'It ends after the pages that are under way. What it has staged stays; the rest is taken up by the next run.' : 'It does not begin.'} Its sources:{' '}
          {job.sources.slice(0, 10).join(', ')}
          {job.sources.length > 10 && ` and ${job.sources.length - 10} more`}.
        </p>
        {cancel.isError && <Trouble error={cancel.error} />}
      </Ask>
    </>
  )
}
