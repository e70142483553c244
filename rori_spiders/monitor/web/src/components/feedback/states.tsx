import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '@/api/errors'
import { Button } from '@/components/forms/Button'
import { Heading } from '@/components/layout/Heading'
import { InlineCode } from '@/components/data/InlineCode'
import { command } from '@/lib/command'

/** Nothing to show, why, and what can be done. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-dashed px-4 py-10 text-center">
      <p className="font-semibold">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-prose text-sm text-quiet">{children}</div>}
    </div>
  )
}

/** Something failed: the API's own sentence, and the way on. */
export function ErrorMessage({ error, again, children }: { error: unknown; again?: () => void; children?: ReactNode }) {
  const message = error instanceof Error ? error.message : String(error)
  const number = error instanceof ApiError && typeof error.details.number === 'string' ? error.details.number : null
  return (
    <div role="alert" className="my-4 rounded-lg border border-bad bg-bad-ground px-4 py-3 text-bad">
      <p className="font-semibold [overflow-wrap:anywhere]">
        <InlineCode text={message} />
      </p>
      {children && <p className="mt-1 text-sm">{children}</p>}
      <Problems error={error} />
      {number && <p className="mt-1 text-sm">Error number {number}: see the log of <code>{command('monitor')}</code> for details.</p>}
      {isGone(error) ? (
        <Link to="/" className="mt-1 inline-block text-sm underline">
          Back to the changes
        </Link>
      ) : (
        again && (
          <Button className="mt-2 text-ink" onClick={again}>
            Try again
          </Button>
        )
      )}
    </div>
  )
}

/** Whether asking again cannot help: there is no such thing. */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 410)
}

/** What was wrong with what was sent, place by place. */
function Problems({ error }: { error: unknown }) {
  const problems = error instanceof ApiError ? error.details.problems : null
  if (!Array.isArray(problems)) return null
  const details = (problems as unknown[]).map((problem) => (problem ?? {}) as { where?: unknown; message?: unknown })
  if (details.every(({ message }) => message === (error as ApiError).message)) return null
  return (
    <ul className="mt-1 list-disc ps-5 text-sm [overflow-wrap:anywhere]">
      {details.slice(0, 20).map((problem, place) => {
        const { where, message } = problem
        return <li key={place}>{typeof message === 'string' ? `${String(where ?? '')}: ${message}` : String(problem)}</li>
      })}
    </ul>
  )
}

export function Loading({ what }: { what: string }) {
  return (
    <p role="status" className="py-8 text-center text-quiet">
      Loading {what} …
    </p>
  )
}

export function NotFound() {
  return (
    <>
      <Heading title="Page not found" />
      <Link to="/" className="text-accent underline">
        Back to the changes
      </Link>
    </>
  )
}
