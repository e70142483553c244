import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { InlineCode } from '@/components/data/InlineCode'
import { ErrorMessage } from '@/components/feedback/states'
import type { RunDetail } from '@/pages/corpus/types'
import { command } from '@/lib/command'

/** Who works on the run, or why nobody does, and what can be done then. */
export function WorkerStatus({ run, may }: { run: RunDetail; may: boolean }) {
  const goOn = useAction(() => unwrap(api.POST('/api/v1/corpus/runs/{run_id}/go-on', { params: { path: { run_id: run.run_id } } })), () => undefined)
  const said = sentence(run)
  if (!said) return null
  const stands = run.turn === 'machine' && !run.worker && run.process?.state !== 'runs' && run.process?.state !== 'waits'
  const bad = run.state === 'failed' || (run.process?.code ?? 0) !== 0
  return (
    <div role="status" className={`mb-4 rounded-md border px-3 py-2 text-sm [overflow-wrap:anywhere] ${bad ? 'border-bad bg-bad-ground text-bad' : 'bg-card'}`}>
      <p>
        <InlineCode text={said} />
      </p>
      {run.process?.log && bad && <p className="mt-1">Log: {run.process.log}</p>}
      {may && stands && run.starts && (
        <Button className="mt-2 text-ink" disabled={goOn.isPending} onClick={() => goOn.mutate()}>
          Continue
        </Button>
      )}
      {goOn.error ? <ErrorMessage error={goOn.error} /> : null}
    </div>
  )
}

function sentence(run: RunDetail): string | null {
  if (run.state === 'failed') return `The run failed: ${run.says ?? 'no reason recorded'}`
  if (run.state === 'cancelled') return `The run was cancelled: ${run.says ?? 'no reason recorded'}`
  if (run.turn !== 'machine') return null
  if (run.worker) return `In progress: ${run.worker}`
  const process = run.process
  if (process?.state === 'waits') return 'Waiting for the previous process to exit.'
  if (process?.state === 'runs') return 'Starting.'
  if (process?.code) return `The worker exited with code ${process.code}: ${process.says ?? 'no output'}`
  return run.starts ? 'Not running: the worker exited before the run was finished.' : `Not running. This monitor does not start workers; run \`${command(`corpus run ${run.domain}`)}\`.`
}
