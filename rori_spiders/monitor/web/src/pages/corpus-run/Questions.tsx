import { getRouteApi, Link } from '@tanstack/react-router'
import type { RunDetail } from '@/pages/corpus/types'

const route = getRouteApi('/corpus/runs/$runId')
type Question = RunDetail['questions'][number]

/** Where the list shows the pages of a question. */
const FILTER: Partial<Record<Question['code'], string>> = {
  undecided: 'decide',
  no_text: 'failed',
  excluded_by_gate: 'refused',
  rejected: 'rejected',
  unseen: 'waiting',
}

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
          <QuestionItem key={question.code} question={question} />
        ))}
      </ul>
    </section>
  )
}

/** Its examples are left to the list, where that shows them all. */
function QuestionItem({ question }: { question: Question }) {
  const show = FILTER[question.code]
  if (!show) return <li>{question.summary}</li>
  return (
    <li>
      {question.summary}.{' '}
      <Link from={route.id} to="." search={{ show }} replace className="underline">
        Show {question.pages === 1 ? 'it' : show === 'waiting' ? 'pages to review' : 'them'}
      </Link>
    </li>
  )
}
