import type { Mark } from './types'

const NAMES: Record<string, string> = { operative: 'operative word' }

/** The figures, dates, citations and binding words that changed. */
export function Marks({ marks }: { marks: readonly Mark[] }) {
  if (!marks.length) return null
  return (
    <ul aria-label="Key changes" className="mt-2 flex flex-wrap gap-1.5 text-xs">
      {marks.map((mark, place) => (
        <li key={place} className="max-w-full rounded border border-warn bg-warn-ground px-1.5 py-0.5 text-warn [overflow-wrap:anywhere]">
          {NAMES[mark.kind] ?? mark.kind}: <Value text={mark.old} /> → <Value text={mark.new} />
        </li>
      ))}
    </ul>
  )
}

function Value({ text }: { text: string | null }) {
  return text === null ? <i>none</i> : <b className="font-semibold">{text}</b>
}

/** The texts of *marks* on one side, or on both. */
export function markTexts(marks: readonly Mark[]): string[] {
  return marks.flatMap((mark) => [mark.old, mark.new]).filter((text) => text !== null)
}
