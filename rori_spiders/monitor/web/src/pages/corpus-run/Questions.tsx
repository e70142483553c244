import { getRouteApi, Link } from '@tanstack/react-router'
import type { RunDetail } from '@/pages/corpus/types'

const route = getRouteApi('/corpus/runs/$runId')
/** Words of the collector's sentences, and where the list shows the pages that they are about. */
const WHERE: readonly (readonly [RegExp, string])[] = [
  [/waits? for a decision/, 'decide'],
  [/(has|have) no text/, 'failed'],
  [/may not be published/, 'refused'],
  [/(was|were) rejected/, 'rejected'],
  [/waits? for a look/, 'waiting'],
]

/** What stands between the run and its approval, each with its pages. */
export function Questions({ run }: { run: RunDetail }) {
  if (run.state !== 'ready_for_review') return null
  if (!run.questions.length) {
    return (
      <p role="status" className="mb-4 rounded-md border border-good bg-good-ground px-3 py-2 text-sm text-good">
        Ready: the corpus can be approved.
      </p>
    )
  }
  return (
    <section aria-label="Required before approval" className="mb-4 rounded-md border border-warn bg-warn-ground px-3 py-2 text-sm text-warn">
      <h2 className="font-semibold">Required before approval</h2>
      <ul className="list-disc ps-5 [overflow-wrap:anywhere]">
        {run.questions.map((question) => (
          <Question key={question} says={question} />
        ))}
      </ul>
    </section>
  )
}

/** Its examples are left to the list, where that shows them all. */
function Question({ says }: { says: string }) {
  const show = WHERE.find(([words]) => words.test(says))?.[1]
  if (!show) return <li>{says}</li>
  return (
    <li>
      {says.split(': ')[0]}.{' '}
      <Link from={route.id} to="." search={{ show }} replace className="underline">
        Show {says.startsWith('1 ') ? 'it' : show === 'waiting' ? 'pages to review' : 'them'}
      </Link>
    </li>
  )
}
