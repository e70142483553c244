import { Link } from '@tanstack/react-router'
import { FailureList } from '@/pages/errors/FailureList'

/** The failures of a source, newest first, each with a link at its time to the response that caused it. */
export function SourceErrors({ id }: { id: string }) {
  return (
    <>
      <p className="mb-3 text-sm text-quiet">
        Failed pages of this source, newest first.{' '}
        <Link to="/errors" search={{ source: id }} className="text-accent underline">
          Search, filter and export
        </Link>
      </p>
      <FailureList chosen={{ source: id }} />
    </>
  )
}
