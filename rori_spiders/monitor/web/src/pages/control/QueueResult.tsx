type Found = { jobs: { job_id: string; sources: string[] }[]; refused: { source_id: string; why: string }[] }

/** What became of the wish to run: jobs that wait now, and sources that do not run, with the reason. */
export function QueueResult({ found: { jobs, refused } }: { found: Found }) {
  const sources = jobs.reduce((sum, job) => sum + job.sources.length, 0)
  return (
    <div role="status" className="mt-3 rounded-md border bg-raised px-3 py-2 text-sm">
      <p>
        {sources
          ? `Queued ${sources.toLocaleString()} ${sources === 1 ? 'source' : 'sources'} in ${jobs.length.toLocaleString()} ${jobs.length === 1 ? 'job' : 'jobs'}.`
          : 'No sources queued.'}
      </p>
      {refused.length > 0 && (
        // It scrolls, so the keyboard must reach it.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <ul tabIndex={0} aria-label="Skipped sources" className="mt-1 grid max-h-48 gap-1 overflow-y-auto">
          {refused.map(({ source_id: id, why }) => (
            <li key={id} className="[overflow-wrap:anywhere]">
              <b className="font-semibold">{id}</b>: {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
