import { STEPS, stateLabel } from '@/pages/corpus/StateBadges'
import type { RunDetail } from '@/pages/corpus/types'

/** The ten states, and where the run is; of one that failed, where it stopped. */
export function Steps({ run }: { run: RunDetail }) {
  const here = STEPS.findIndex((state) => state === (run.stopped_in ?? run.state))
  if (here < 0) return null
  return (
    <ol aria-label="Run progress" className="mb-4 flex flex-wrap gap-x-1 gap-y-1 text-xs">
      {STEPS.map((state, place) => (
        <li key={state} aria-current={place === here ? 'step' : undefined} className={`flex items-center gap-1 ${place === here ? 'font-semibold' : 'text-quiet max-md:sr-only'}`}>
          <span className={`rounded px-1.5 py-0.5 ${place === here ? (run.state === 'failed' ? 'bg-bad-ground text-bad' : 'bg-new-ground text-new') : place < here ? 'bg-raised' : ''}`}>
            <span aria-hidden="true">{place < here ? '✓ ' : ''}</span>
            {stateLabel(state)}
            {place === here && <span className="md:hidden">: {place + 1} of {STEPS.length}</span>}
          </span>
          {place < STEPS.length - 1 && (
            <span aria-hidden="true" className="text-quiet max-md:hidden">
              ›
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
