import { useState } from 'react'
import { countWords, folded } from './folding'
import { sideOf, withMarks, type Shown } from './marked'
import type { Piece, Side } from './shapes'

const LOOKS = {
  '=': '',
  '-': 'rounded-sm bg-bad-ground text-bad line-through decoration-1',
  '+': 'rounded-sm bg-good-ground text-good no-underline',
} as const

/** The words of one side, or of both in one text; figures and dates that changed stand out. */
export function Words({ words, marks, side }: { words: readonly Piece[]; marks: readonly string[]; side?: Side }) {
  const shown = withMarks(side ? sideOf(words, side) : words, marks)
  return (
    <div className="whitespace-pre-wrap [overflow-wrap:anywhere]">
      {shown.map((piece, place) => (
        <One key={place} piece={piece} />
      ))}
    </div>
  )
}

function One({ piece: { op, text, marked } }: { piece: Shown }) {
  const look = `${LOOKS[op]} ${marked ? 'font-semibold outline-1 -outline-offset-1 outline-current' : ''}`
  if (op === '-') return <del className={look}>{text}</del>
  if (op === '+') return <ins className={look}>{text}</ins>
  return marked ? <mark className={`bg-transparent text-inherit ${look}`}>{text}</mark> : <Kept text={text} />
}

function Kept({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  const parts = open ? null : folded(text)
  if (!parts) return text
  return (
    <>
      {parts.head}{' '}
      <button type="button" onClick={() => setOpen(true)} className="rounded bg-raised px-1.5 text-sm text-quiet underline">
        {countWords(parts.hidden).toLocaleString()} unchanged words
      </button>
      {parts.tail}
    </>
  )
}
