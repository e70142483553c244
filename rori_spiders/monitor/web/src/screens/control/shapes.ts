import type { schemas } from '@/api/shapes'

export type Job = schemas['Job']
export type Deed = schemas['Action']

const OPEN: ReadonlySet<Job['state']> = new Set(['waiting', 'leased', 'running'])

/** Whether the job can still be cancelled. */
export function isOpen(job: Job): boolean {
  return OPEN.has(job.state)
}
