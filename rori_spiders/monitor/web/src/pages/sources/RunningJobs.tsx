import { Badge } from '@/components/feedback/Badge'
import { Progress } from '@/components/feedback/Progress'
import { SourceLink } from '@/components/data/SourceLink'
import { Time } from '@/components/data/Time'
import { useActivity } from './useActivity'
import type { Activity } from './queries'

type Job = Activity['running'][number]
type Run = Job['runs'][number]

/** What is running now, what waits, and whether the schedule stands still. */
export function RunningJobs() {
  const { data } = useActivity()
  if (!data) return null
  const { running, waiting, waiting_total, schedule_paused } = data
  return (
    <section aria-labelledby="running" className="mb-6">
      <h2 id="running" className="mb-2 font-semibold">
        Running jobs
      </h2>
      {schedule_paused && (
        <p className="mb-2 rounded-lg border border-warn bg-warn-ground px-3 py-2 text-sm text-warn [overflow-wrap:anywhere]">
          Schedule paused by {schedule_paused.by}
          {schedule_paused.reason && `: ${schedule_paused.reason}`}
        </p>
      )}
      {running.length === 0 && (
        <p className="text-sm text-quiet">No jobs running{waiting_total > 0 ? `; ${waiting_total} queued.` : '.'}</p>
      )}
      {running.length > 0 && (
        <ul className="grid gap-2">
          {running.flatMap((job) =>
            job.runs.length ? job.runs.map((run) => <AtWork key={run.run_id} run={run} job={job} />) : [<Begins key={job.job_id} job={job} />],
          )}
        </ul>
      )}
      {waiting.length > 0 && (
        <details className="mt-2 text-sm">
          <summary>
            {waiting_total} {waiting_total === 1 ? 'job' : 'jobs'} queued
          </summary>
          <ul className="mt-1 grid gap-1 ps-3">
            {waiting.map((job) => (
              <li key={job.job_id} className="[overflow-wrap:anywhere]">
                {job.sources.join(', ')} <span className="text-quiet">since </span>
                <Time at={job.queued_at} relative />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function AtWork({ run, job }: { run: Run; job: Job }) {
  const { discovered = 0, pending = 0 } = run.counts
  const done = Math.max(0, discovered - pending)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border bg-card px-3 py-2 text-sm">
      <SourceLink id={run.source_id} className="font-medium" />
      <Progress percent={run.percent} label={`Progress of ${run.source_id}`} />
      <span className="tabular-nums">
        {run.percent === null ? 'starting' : `${run.percent} %`}
        {discovered > 0 && `, ${done} of ${discovered} pages`}
        {run.per_minute !== null && `, ${Math.round(run.per_minute)} per minute`}
      </span>
      <span className="ms-auto flex items-center gap-2 text-quiet">
        {!job.is_heard_of && <Badge tone="warn">no heartbeat</Badge>}
        {job.node && <span>{job.node}</span>}
        <span>
          since <Time at={run.started_at} relative />
        </span>
      </span>
    </li>
  )
}

function Begins({ job }: { job: Job }) {
  return (
    <li className="rounded-lg border bg-card px-3 py-2 text-sm">
      Job{job.node && ` on ${job.node}`} is starting; claimed <Time at={job.started_at} relative />
    </li>
  )
}
