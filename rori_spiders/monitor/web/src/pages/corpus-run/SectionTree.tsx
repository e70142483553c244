import { getRouteApi, Link } from '@tanstack/react-router'
import { pluralize } from '@/lib/pluralize'
import type { Counts, RunDetail } from '@/pages/corpus/types'
import { countsInWords } from '@/pages/corpus/pageFilters'

const route = getRouteApi('/corpus/runs/$runId')
/** From there on it stands beside the pages. */
const WIDE = '(min-width: 64rem)'

/** The site by its sections, with what became of the pages of each; those that are excluded whole stand apart. On a phone it is folded. */
export function SectionTree({ run }: { run: RunDetail }) {
  const { section } = route.useSearch()
  const out = run.sections.filter((one) => one.exclude === one.pages)
  const kept = run.sections.filter((one) => one.exclude < one.pages)
  const entry = (one: RunDetail['sections'][number]) => <Entry key={one.section} label={one.section} counts={one} section={one.section} chosen={section === one.section} />
  return (
    <details open={matchMedia(WIDE).matches} className="rounded-lg border bg-card lg:sticky lg:top-2">
      <summary className="px-3 py-2 font-semibold">
        Sections <span className="font-normal text-quiet">({run.sections.length})</span>
      </summary>
      <nav aria-label="Sections" className="max-h-[40vh] overflow-y-auto border-t p-1 lg:max-h-[75vh]">
        <ul className="text-sm">
          <Entry label="All sections" counts={run.counts} section={undefined} chosen={section === undefined} />
          {kept.map(entry)}
        </ul>
        {out.length > 0 && (
          <details open={!kept.length || out.some((one) => one.section === section)} className="border-t text-sm">
            <summary className="px-2 py-1.5 text-quiet">{pluralize(out.length, 'section')} fully excluded</summary>
            <ul>{out.map(entry)}</ul>
          </details>
        )}
      </nav>
    </details>
  )
}

function Entry({ label, counts, section, chosen }: { label: string; counts: Counts; section: string | undefined; chosen: boolean }) {
  return (
    <li>
      <Link
        from={route.id}
        to="."
        search={(now) => ({ ...now, section, offset: undefined })}
        replace
        activeOptions={{ exact: true }}
        aria-current={chosen ? 'true' : undefined}
        className={`block rounded px-2 py-1.5 -outline-offset-2 hover:bg-raised ${chosen ? 'bg-raised font-semibold' : ''}`}
      >
        <span className="flex justify-between gap-2">
          <span className="[overflow-wrap:anywhere]">{label}</span>
          <span className="tabular-nums">{counts.pages.toLocaleString()}</span>
        </span>
        <span className="block text-xs font-normal text-quiet">{countsInWords(counts)}</span>
      </Link>
    </li>
  )
}
