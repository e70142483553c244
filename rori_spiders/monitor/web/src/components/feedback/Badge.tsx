import type { ReactNode } from 'react'

export type Tone = 'good' | 'new' | 'warn' | 'bad' | 'idle'

const TONES: Record<Tone, string> = {
  good: 'bg-good-ground text-good',
  new: 'bg-new-ground text-new',
  warn: 'bg-warn-ground text-warn',
  bad: 'bg-bad-ground text-bad',
  idle: 'bg-idle-ground text-idle',
}

/** Words on a ground of their tone; the words say it all, the colour only helps. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`inline-block rounded px-1.5 py-0.5 text-xs font-semibold whitespace-nowrap ${TONES[tone]}`}>{children}</span>
}

const STATES: Record<string, Tone> = {
  ok: 'good',
  complete: 'good',
  captured: 'good',
  unchanged: 'good',
  changed: 'new',
  running: 'new',
  failed: 'bad',
  critical: 'bad',
  high: 'bad',
  suspect: 'warn',
  incomplete: 'warn',
  partial: 'warn',
  held: 'warn',
  gone: 'warn',
  refused: 'warn',
  warning: 'warn',
  locked: 'warn',
  info: 'new',
}

/** A state of a source, run or page, or a severity, by the word that the API gives. */
export function StateBadge({ state }: { state: string }) {
  return <Badge tone={STATES[state.toLowerCase()] ?? 'idle'}>{state}</Badge>
}
