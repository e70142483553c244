import { Badge, type Tone } from '@/components/feedback/Badge'
import { InlineCode } from '@/components/data/InlineCode'
import type { PageDetail } from '@/pages/corpus/types'

/** What keeps a text from being published comes first. */
const ORDER = ['blocks', 'review', 'note']
const TONES: Record<string, Tone> = { blocks: 'bad', review: 'warn', note: 'new' }

/** What the audit says of the text, and what the staging area does not have. */
export function Findings({ page }: { page: PageDetail }) {
  if (!page.findings.length && !page.missing.length) return null
  return (
    <section aria-label="Findings" className="mb-4 rounded-lg border bg-card px-4 py-3 text-sm">
      <h2 className="mb-1 font-semibold">Audit findings</h2>
      <ul className="grid gap-1 [overflow-wrap:anywhere]">
        {page.findings.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity)).map((one, place) => (
          <li key={place}>
            <Badge tone={TONES[one.severity] ?? 'idle'}>{one.code.replaceAll('_', ' ') || 'finding'}</Badge> <InlineCode text={one.says} />
          </li>
        ))}
        {page.missing.map((one) => (
          <li key={one} className="text-bad">
            {one}
          </li>
        ))}
      </ul>
    </section>
  )
}
