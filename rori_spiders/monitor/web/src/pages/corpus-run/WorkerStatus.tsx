import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { InlineCode } from '@/components/data/InlineCode'
import { ErrorMessage } from '@/components/feedback/states'
import type { RunDetail } from '@/pages/corpus/types'

/** Who works on the run, or why nobody does, and what can be done then. */
export function WorkerStatus({ run, may }: { run: RunDetail; may: boolean }) {
  const goOn = useAction(() => unwrap(api.POST('/api/corpus/runs/{run_id}/go-on', { params: { path: { run_id: run.run_id } } })), () => undefined)
  const said = sentence(run)
  if (!said) return null
  const stands = run.turn === 'machine' && !run.worker && run.process?.state !== 'runs' && run.process?.state !== 'waits'
  const bad = run.state === 'failed' || (run.process?.code ?? 0) !== 0
  return (
    <div role="status" className={`mb-4 rounded-md border px-3 py-2 text-sm [overflow-wrap:anywhere] ${bad ? 'border-bad bg-bad-ground text-bad' : 'bg-card'}`}>
      <p>
        <InlineCode text={said} />
      </p>
      {run.process?.log && bad && <p className="mt-1">Its log: {run.process.log}</p>}
      {may && stands && run.starts && (
        <Button className="mt-2 text-ink" disabled={goOn.isPending} onClick={() => goOn.mutate()}>
          Go on
        </Button>
      )}
      {goOn.error ? <ErrorMessage error={goOn.error} /> : null}
    </div>
  )
}

function sentence(run: RunDetail): string | null {
  if (run.state === 'failed') return `It could not go on: ${run.says ?? 'nobody knows why'}`
  if (run.state === 'cancelled') return `It was given up: ${run.says ?? ''}`
  if (run.turn !== 'machine') return null
  if (run.worker) return `A process works on it: ${run.worker}`
  const process = run.process
  if (process?.state === 'waits') return 'A process begins as soon as the one before has gone.'
  if (process?.state === 'runs') return 'A process was started, and begins in a moment.'
  if (process?.code) return `Its process ended with exit code ${process.code}: ${process.says ?? 'it said nothing'}`
  return run.starts ? 'Nobody works on it: its process has ended before it was done.' : `Nobody works on it. This monitor starts no processes; type \`scrapy corpus run ${run.domain}\``
}
