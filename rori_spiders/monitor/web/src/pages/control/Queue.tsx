import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import { StateBadge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { CopyButton } from '@/components/forms/CopyButton'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { command } from '@/lib/command'
import { CancelJob } from './CancelJob'
import { SourceLinks } from './SourceLinks'
import { isOpen, type Job } from './types'

const EVERY_MS = 5_000

/** The jobs that run, that wait, and that ended last. */
export function Queue({ may }: { may: boolean }) {
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/jobs', { params: { query: { limit: 50 } }, signal })),
    refetchInterval: EVERY_MS,
  })
  return (
    <Card title="Jobs">
      <QueryView query={jobs} what="the jobs">
        {({ items }) =>
          items.length ? (
            <Table caption="Jobs" columns={may ? [...COLUMNS, CANCEL] : COLUMNS} rows={items} id={(job) => job.job_id} />
          ) : (
            <EmptyState title="No jobs queued or running.">Start one above, with <code>{command('collect')}</code>, or let <code>{command('dispatch')}</code> queue due sources.</EmptyState>
          )
        }
      </QueryView>
    </Card>
  )
}

const COLUMNS: Column<Job>[] = [
  { key: 'sources', title: 'Sources', cell: (job) => <SourceLinks ids={job.sources} /> },
  { key: 'state', title: 'State', cell: (job) => <StateBadge state={job.state} /> },
  { key: 'queued', title: 'Queued', cell: (job) => <Time at={job.queued_at} relative /> },
  { key: 'started', title: 'Started', cell: (job) => <Time at={job.started_at} relative /> },
  { key: 'ended', title: 'Ended', cell: (job) => <Time at={job.ended_at} relative /> },
  { key: 'node', title: 'Node', cell: (job) => job.node ?? '–' },
  { key: 'why', title: 'Outcome', cell: (job) => (job.outcome ?? job.reason) && <span className="[overflow-wrap:anywhere]">{[job.outcome, job.reason].filter(Boolean).join(': ')}</span> },
  { key: 'job', title: 'Job', cell: (job) => <CopyButton value={job.job_id} what="job ID" /> },
]

const CANCEL: Column<Job> = { key: 'cancel', title: 'Cancel', cell: (job) => isOpen(job) && <CancelJob job={job} /> }
