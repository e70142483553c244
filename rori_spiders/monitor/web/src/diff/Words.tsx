import { useState, type MouseEvent } from 'react'
import { hideEmphasis } from './emphasis'
import { countWords, foldText } from './folding'
import { piecesOfSide, highlightMarks, type Shown } from './highlights'
import { tableRows } from './tableRows'
import type { Piece, Side } from './types'

const LOOKS = {
  '=': '',
  '-': 'rounded-sm bg-bad-ground text-bad line-through decoration-1',
  '+': 'rounded-sm bg-good-ground text-good no-underline',
} as const

/** The words of one side, or of both in one text; figures and dates that changed stand out. */
export function Words({ words, marks, side }: { words: readonly Piece[]; marks: readonly string[]; side?: Side }) {
  const shown = highlightMarks(side ? piecesOfSide(words, side) : words, marks)
  const rows = tableRows(shown)
  if (rows) return <Rows rows={rows} />
  return (
    <div className="whitespace-pre-wrap [overflow-wrap:anywhere]">
      {shown.map((piece, place) => (
        <One key={place} piece={piece} />
      ))}
    </div>
  )
}

/** Whole rows of a table that came, went or moved. */
function Rows({ rows }: { rows: readonly Shown[][][] }) {
  return (
    <table className="text-sm">
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((pieces, column) => (
              <td key={column} className="border px-2 py-1 align-top [overflow-wrap:anywhere]">
                {pieces.map((piece, place) => (
                  <One key={place} piece={piece} />
                ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function One({ piece: { op, text: markdown, marked } }: { piece: Shown }) {
  const text = hideEmphasis(markdown)
  const look = `${LOOKS[op]} ${marked ? 'border-b-2 border-current font-semibold' : ''}`
  if (op === '-') return <del className={look}>{text}</del>
  if (op === '+') return <ins className={look}>{text}</ins>
  return marked ? <mark className={`bg-transparent text-inherit ${look}`}>{text}</mark> : <UnchangedText text={text} />
}

function UnchangedText({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  const parts = open ? null : foldText(text)
  if (!parts) return text
  const unfold = (event: MouseEvent<HTMLButtonElement>) => {
    // The button goes: without this the focus would go with it, and the keys would begin at the first change again.
    event.currentTarget.closest<HTMLElement>('[data-change]')?.focus({ preventScroll: true })
    setOpen(true)
  }
  return (
    <>
      {parts.head}{' '}
      <button type="button" onClick={unfold} className="rounded bg-raised px-1.5 text-sm text-quiet underline">
        {countWords(parts.hidden).toLocaleString()} unchanged words
      </button>
      {parts.tail}
    </>
  )
}
