import { unwrap, api } from '@/api/client'
import { Badge, type Tone } from '@/components/feedback/Badge'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { InlineCode } from '@/components/data/InlineCode'
import { ErrorMessage } from '@/components/feedback/states'
import { showToast } from '@/components/feedback/Toast'
import type { Version } from './types'

const TONES: Record<string, Tone> = { started: 'new', done: 'good', failed: 'bad', unknown: 'warn', 'not started': 'warn' }

/** What became of the loader that was started with a version. */
export function LoaderState({ version: { loader_state: state, loader_says: says, loader_execution: execution } }: { version: Version }) {
  if (!state) return <span className="text-quiet">–</span>
  return (
    <span className="[overflow-wrap:anywhere]">
      <Badge tone={TONES[state] ?? 'idle'}>{state}</Badge> {execution && <span className="text-xs text-quiet">{execution}</span>} {says && <InlineCode text={says} />}
    </span>
  )
}

/** Starts the loader of the latest version, where it failed, was never started, or is not heard of. */
export function StartLoader({ version }: { version: Version }) {
  const load = useAction(
    () => unwrap(api.POST('/api/v1/corpus/domains/{domain}/load', { params: { path: { domain: version.domain } } })),
    () => showToast(`Starting the loader for version ${version.version}.`),
  )
  if (!version.may_load) return null
  return (
    <span className="mt-1 block">
      <Button disabled={load.isPending} onClick={() => load.mutate()}>
        {version.loader_state === 'not started' ? 'Start loader' : 'Restart loader'}
      </Button>
      {load.error ? <ErrorMessage error={load.error} /> : null}
    </span>
  )
}
