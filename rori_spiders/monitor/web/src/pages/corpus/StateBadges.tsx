import { Badge, type Tone } from '@/components/feedback/Badge'
import type { PageRow, Run } from './types'

const STATES: Record<Run['state'], [Tone, string]> = {
  mapping: ['new', 'mapping'],
  section_sampling: ['new', 'sampling'],
  page_triage: ['new', 'triage'],
  scraping: ['new', 'fetching'],
  deterministic_preflight: ['new', 'rule-based cleaning'],
  llm_cleanup: ['new', 'LLM cleaning'],
  validation_audit: ['new', 'audit'],
  ready_for_review: ['warn', 'ready for review'],
  approved: ['good', 'approved'],
  published: ['good', 'published'],
  failed: ['bad', 'failed'],
  cancelled: ['idle', 'cancelled'],
}

/** The ten states in their order, for a line that shows how far a run has come. */
export const STEPS = Object.keys(STATES).slice(0, 10) as Run['state'][]

export function stateLabel(state: string): string {
  return STATES[state as Run['state']]?.[1] ?? state
}

export function RunStateBadge({ state }: { state: Run['state'] }) {
  const [tone, words] = STATES[state]
  return <Badge tone={tone}>{words}</Badge>
}

const DECISIONS: Record<string, [Tone, string]> = { include: ['good', 'included'], exclude: ['idle', 'excluded'], needs_review: ['warn', 'to decide'] }
const GATES: Record<string, [Tone, string]> = { needs_review: ['warn', 'held'], excluded: ['bad', 'refused'] }
const REVIEWS: Record<string, [Tone, string]> = { approved: ['good', 'approved'], rejected: ['bad', 'rejected'] }
const GOT: Record<string, [Tone, string]> = { failed: ['bad', 'failed'], gone: ['warn', 'gone'] }

/** How a page stands: the decision, and of an included one its text, gate and review. */
export function PageStateBadges({ page }: { page: PageRow }) {
  const decided = DECISIONS[page.decision ?? ''] ?? ['idle', 'undecided']
  const included = page.decision === 'include'
  const more = included ? [GOT[page.got ?? ''], GATES[page.gate ?? ''], REVIEWS[page.review ?? '']] : []
  const badges = [decided, ...more, page.found_by === 'person' ? (['new', 'added'] as [Tone, string]) : undefined]
  return (
    <span className="inline-flex flex-wrap gap-1">
      {badges.flatMap((one) => (one ? [<Badge key={one[1]} tone={one[0]}>{one[1]}</Badge>] : []))}
    </span>
  )
}
