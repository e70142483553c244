import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { SafeLink } from '@/components/data/SafeLink'

const PARTS = [
  ['captured', 'captured'],
  ['unchanged', 'unchanged'],
  ['elsewhere', 'captured at another URL'],
  ['excluded', 'excluded'],
  ['failed', 'failed'],
  ['gone', 'gone'],
  ['pending', 'pending'],
  ['not_asked', 'not requested'],
] as const

/** What of the publisher's own lists was collected, and what was not, by name. */
export function CoverageCard({ summary }: { summary: Schemas['RunSummary'] }) {
  return (
    <Card title="Coverage">
      {summary.notes.map((note) => (
        <p key={note} className="mb-2 text-sm [overflow-wrap:anywhere]">
          {note}
        </p>
      ))}
      {summary.coverage.length === 0 && <p className="text-sm">No published lists: no sitemap was read and no table of contents links to a page.</p>}
      <div className="grid gap-4">
        {summary.coverage.map((one, place) => (
          <One key={place} one={one} />
        ))}
      </div>
      <p className="mt-3 text-xs text-quiet [overflow-wrap:anywhere]">
        Full report: {summary.path} in the staging area{summary.is_written ? '' : ' (not written yet)'}
      </p>
    </Card>
  )
}

function One({ one }: { one: Schemas['Coverage'] }) {
  const parts = PARTS.flatMap(([name, word]) => (one[name] ? `${one[name].toLocaleString()} ${word}` : []))
  return (
    <section className="text-sm [overflow-wrap:anywhere]">
      <h3 className="font-semibold">{called(one)}</h3>
      <p>
        {one.listed.toLocaleString()} pages{one.cut && ' (counting stopped here; the list is longer)'} = {parts.join(' + ') || 'none'}
      </p>
      <ul className="text-quiet">
        {Object.entries(one.excluded_by).map(([reason, pages]) => (
          <li key={reason}>
            {pages.toLocaleString()} excluded: {reason}
          </li>
        ))}
      </ul>
      {one.missing_in_all > 0 && (
        <details className="mt-1">
          <summary>{one.missing_in_all.toLocaleString()} missing</summary>
          <ul className="mt-1 grid gap-1">
            {one.missing.map((page) => (
              <li key={page.url}>
                <SafeLink url={page.url} /> {page.state}: {page.reason}
              </li>
            ))}
            {one.missing_in_all > one.missing.length && <li>and {(one.missing_in_all - one.missing.length).toLocaleString()} more</li>}
          </ul>
        </details>
      )}
    </section>
  )
}

function called({ listed_by: by, listed_on: on }: Schemas['Coverage']): string {
  if (by === 'api') return 'API lists'
  if (by === 'contents') return `Contents ${on[0] ?? ''}`
  if (by === 'feed') return on.length === 1 ? `Feed ${on[0] ?? ''}` : `${on.length} feeds`
  return on.length === 1 ? `Sitemap ${on[0] ?? ''}` : `${on.length} sitemaps`
}
