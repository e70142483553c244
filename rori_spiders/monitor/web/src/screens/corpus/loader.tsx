import { Badge, type Tone } from '@/parts/badge'
import type { Version } from './shapes'

const TONES: Record<string, Tone> = { started: 'new', done: 'good', failed: 'bad' }

/** What became of the loader that was started with a version. */
export function LoaderState({ version: { loader_state: state, loader_says: says, loader_execution: execution } }: { version: Version }) {
  if (!state) return <span className="text-quiet">–</span>
  return (
    <span className="[overflow-wrap:anywhere]">
      <Badge tone={TONES[state] ?? 'idle'}>{state}</Badge> {execution && <span className="text-xs text-quiet">{execution}</span>} {says}
    </span>
  )
}
