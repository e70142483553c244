import { useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { lineStart, nextLine } from './positions'

/** Of a line, in pixels: the class `leading-5`. */
const LINE = 20
const ABOVE = 4
const FRAME = 420

/** Puts the caret on a line (from 1) and shows it. */
export function goTo(area: HTMLTextAreaElement | null, line: number, column = 1): void {
  if (!area) return
  const at = lineStart(area.value, line)
  const end = area.value.indexOf('\n', at)
  area.focus()
  area.setSelectionRange(at + column - 1, end < 0 ? area.value.length : end)
  area.scrollTop = Math.max(0, (line - ABOVE) * LINE)
}

type Given = { area: RefObject<HTMLTextAreaElement | null>; text: string; write: (text: string) => void; marked: ReadonlyMap<number, number> }

/** A text with the numbers of its lines; those with a problem (`marked`: in which column) are marked, and F8 goes from one to the next. */
export function Editor({ area, text, write, marked }: Given) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const lines = text.split('\n').length
  const pressed = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'F8' || !marked.size) return
    event.preventDefault()
    const here = text.slice(0, event.currentTarget.selectionStart).split('\n').length
    const line = nextLine(marked.keys(), here, event.shiftKey ? -1 : 1)
    goTo(event.currentTarget, line, marked.get(line))
  }
  return (
    <div ref={frame} className="relative flex overflow-hidden rounded-md border border-edge bg-card font-mono text-xs leading-5" style={{ height: FRAME }}>
      <Numbers top={top} lines={lines} marked={marked} />
      <label className="sr-only" htmlFor="manifest-text">
        Manifest text
      </label>
      <textarea
        id="manifest-text"
        ref={area}
        value={text}
        wrap="off"
        spellCheck={false}
        autoCapitalize="off"
        aria-invalid={marked.size > 0}
        aria-describedby="manifest-keys"
        onChange={(event) => write(event.target.value)}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={pressed}
        className="relative min-w-0 flex-1 resize-none overflow-auto bg-transparent px-2 leading-5 -outline-offset-2"
      />
    </div>
  )
}

function Numbers({ top, lines, marked }: { top: number; lines: number; marked: ReadonlyMap<number, number> }) {
  const first = Math.floor(top / LINE)
  const shown = Array.from({ length: Math.min(lines - first, Math.ceil(FRAME / LINE) + 1) }, (_, place) => first + place + 1)
  return (
    <div aria-hidden="true" className="w-14 shrink-0 overflow-hidden border-e bg-raised text-end text-quiet select-none">
      <div className="relative" style={{ top: -(top % LINE) }}>
        {shown.map((line) => (
          <div key={line} data-marked={marked.has(line) || undefined} className="h-5 pe-2 data-marked:bg-bad-ground data-marked:font-bold data-marked:text-bad">
            {marked.has(line) ? `● ${line}` : line}
          </div>
        ))}
      </div>
    </div>
  )
}
