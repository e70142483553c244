import type { paths } from '@/api/schema'
import type { Counts } from './types'

/** What stands in the address of a run's screen; all of it is text. */
export type Chosen = { section?: string; show?: string; q?: string; offset?: string }
type Asked = NonNullable<paths['/api/v1/corpus/runs/{run_id}/pages']['get']['parameters']['query']>

type Kind = { word: string; label: string; count: keyof Counts; asks: Asked }

/** Kinds of pages that a person looks for: what is still to be done first. */
export const KINDS: readonly Kind[] = [
  { word: 'decide', label: 'to decide', count: 'needs_review', asks: { decision: 'needs_review' } },
  { word: 'waiting', label: 'to review', count: 'waiting', asks: { review: 'waiting' } },
  { word: 'held', label: 'held by a gate', count: 'held', asks: { gate: 'needs_review' } },
  { word: 'refused', label: 'refused by a gate', count: 'refused', asks: { gate: 'excluded' } },
  { word: 'failed', label: 'failed', count: 'failed', asks: { got: 'failed' } },
  { word: 'rejected', label: 'rejected', count: 'rejected', asks: { review: 'rejected' } },
  { word: 'approved', label: 'approved', count: 'approved', asks: { review: 'approved' } },
  { word: 'include', label: 'included', count: 'include', asks: { decision: 'include' } },
  { word: 'exclude', label: 'excluded', count: 'exclude', asks: { decision: 'exclude' } },
  { word: 'undecided', label: 'undecided', count: 'undecided', asks: { decision: 'undecided' } },
  { word: 'gone', label: 'gone', count: 'gone', asks: { got: 'gone' } },
  { word: 'added', label: 'added by a person', count: 'added', asks: { added: true } },
]

export function filterQuery(show: string | undefined): Asked {
  return KINDS.find((kind) => kind.word === show)?.asks ?? {}
}

const TOLD = ['decide', 'include', 'failed', 'exclude', 'added'].flatMap((word) => KINDS.filter((kind) => kind.word === word))

/** What there is of a section or a run, in words: `1 to decide, 30 included, 2 failed` */
export function countsInWords(counts: Counts): string {
  return TOLD.filter((kind) => counts[kind.count] > 0)
    .map((kind) => `${counts[kind.count].toLocaleString()} ${kind.label}`)
    .join(', ')
}
