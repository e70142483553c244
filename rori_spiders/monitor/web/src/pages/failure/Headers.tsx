import type { Schemas } from '@/api/types'

/** Headers as they were kept, folded. */
export function Headers({ title, headers }: { title: string; headers: readonly Schemas['HeaderOf'][] }) {
  if (!headers.length) return null
  return (
    <details className="mt-3 text-sm">
      <summary>
        {title} ({headers.length})
      </summary>
      <dl className="mt-1 grid gap-x-4 gap-y-1 font-mono text-xs sm:grid-cols-[max-content_1fr]">
        {headers.map((header, place) => (
          <div key={place} className="contents">
            <dt className="text-quiet [overflow-wrap:anywhere]">{header.name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{header.value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
