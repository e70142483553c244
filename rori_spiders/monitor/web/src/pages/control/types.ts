import type { Schemas } from '@/api/types'

export type Job = Schemas['Job']
export type Action = Schemas['Action']

const OPEN: ReadonlySet<Job['state']> = new Set(['waiting', 'leased', 'running'])

/** Whether the job can still be cancelled. */
export function isOpen(job: Job): boolean {
  return OPEN.has(job.state)
}
