import type { Problem } from '@/pages/manifests/types'

const SHOWN = 200

/** Every problem, with a button that leads to its line. */
export function Problems({ problems, inAll, go }: { problems: readonly Problem[]; inAll: number; go: (problem: Problem) => void }) {
  return (
    <section aria-label="Problems" className="mt-3 rounded-md border border-bad bg-bad-ground p-3 text-sm text-bad">
      <h3 className="font-semibold">
        {inAll === 1 ? '1 problem' : `${inAll.toLocaleString()} problems`}: this manifest cannot be activated.
      </h3>
      <ol className="mt-2 grid max-h-64 gap-1 overflow-y-auto">
        {problems.slice(0, SHOWN).map((problem, place) => (
          <li key={place} className="flex gap-2 [overflow-wrap:anywhere]">
            {problem.line !== null && (
              <button type="button" onClick={() => go(problem)} className="shrink-0 self-start rounded font-mono underline">
                line {problem.line}
              </button>
            )}
            <span>
              {problem.path && <code className="me-1">{problem.path}</code>}
              {problem.message}
            </span>
          </li>
        ))}
      </ol>
      {inAll > SHOWN && <p className="mt-2">Showing the first {SHOWN}.</p>}
    </section>
  )
}
