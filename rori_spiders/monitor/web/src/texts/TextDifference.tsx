import { useMemo, useState, type MouseEvent } from 'react'
import { compareLines, foldStretches, type Line, type Stretch } from './compareLines'

const LOOKS = { '=': '', '-': 'bg-bad-ground text-bad', '+': 'bg-good-ground text-good' } as const
const SAYS = { '=': '', '-': 'removed: ', '+': 'added: ' } as const

/** Two texts line by line in one, with what is far from every change folded. */
export function TextDifference({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => compareLines(before, after), [before, after])
  const parts = useMemo(() => lines && foldStretches(lines), [lines])
  if (!lines || !parts) return <p className="text-sm">Too many differences to show here. Download both versions and compare them with a diff tool.</p>
  if (lines.every((line) => line.op === '=')) return <p className="text-sm">No differences.</p>
  return (
    // A long text scrolls in its own frame, which the keyboard reaches.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label="Line diff" tabIndex={0} className="max-h-[70vh] overflow-auto rounded-md border bg-card font-mono text-xs leading-5">
      {parts.map((part, number) => (
        <Part key={number} part={part} />
      ))}
    </div>
  )
}

function Part({ part }: { part: Stretch }) {
  const [open, setOpen] = useState(false)
  const unfold = (event: MouseEvent<HTMLButtonElement>) => {
    // The button goes: the focus stays in the text.
    event.currentTarget.closest<HTMLElement>('[role=region]')?.focus({ preventScroll: true })
    setOpen(true)
  }
  if (part.folded && !open) {
    return (
      <button type="button" onClick={unfold} className="block w-full bg-raised px-3 py-1 text-start text-quiet underline">
        {part.lines.length.toLocaleString()} unchanged {part.lines.length === 1 ? 'line' : 'lines'}
      </button>
    )
  }
  return part.lines.map((line, number) => <Row key={number} line={line} />)
}

function Row({ line }: { line: Line }) {
  return (
    <div className={`flex ${LOOKS[line.op]}`}>
      <span aria-hidden="true" className="w-12 shrink-0 pe-2 text-end select-none">
        {line.new ?? line.old}
      </span>
      <span className="sr-only">{SAYS[line.op]}</span>
      <span aria-hidden="true" className="w-4 shrink-0 select-none">
        {line.op === '=' ? ' ' : line.op === '-' ? '−' : '+'}
      </span>
      <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{line.text}</span>
    </div>
  )
}
