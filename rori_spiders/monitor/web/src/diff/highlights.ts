import type { Op, Piece, Side } from './types'

/** A piece of one side, or of both, and whether it belongs to a figure, date or word that matters. */
export type Shown = { op: Op; text: string; marked: boolean }

const HIDDEN: Record<Side, Op> = { old: '+', new: '-' }

/** The pieces of one side. */
export function piecesOfSide(words: readonly Piece[], side: Side): Piece[] {
  return words.filter(([op]) => op !== HIDDEN[side])
}

/** *pieces* cut where one of *marks* begins or ends, wherever it touches something that changed. */
export function highlightMarks(pieces: readonly Piece[], marks: readonly string[]): Shown[] {
  const spans = spansOf(pieces, marks)
  const shown: Shown[] = []
  let at = 0
  for (const [op, text] of pieces) {
    const end = at + text.length
    const cuts = spans.flat().filter((cut) => cut > at && cut < end)
    const edges = [...new Set([at, ...cuts, end])].sort((a, b) => a - b)
    for (const [place, from] of edges.slice(0, -1).entries()) {
      const to = edges[place + 1] ?? end
      const marked = spans.some(([begin, stop]) => begin <= from && to <= stop)
      shown.push({ op, text: text.slice(from - at, to - at), marked })
    }
    at = end
  }
  return shown
}

/** Where *marks* stand in all of *pieces*: what the other side has in between is left out. */
function spansOf(pieces: readonly Piece[], marks: readonly string[]): [number, number][] {
  const spans: [number, number][] = []
  for (const side of ['old', 'new'] as const) {
    const parts = partsOf(pieces, side)
    const text = parts.map((part) => part.text).join('')
    for (const mark of new Set(marks.filter((one) => one !== ''))) {
      for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
        const end = at + mark.length
        const touched = parts.filter((part) => part.at < end && at < part.at + part.text.length)
        if (!isWhole(text, at, end) || touched.every((part) => part.op === '=')) continue
        for (const part of touched) {
          spans.push([part.from + Math.max(0, at - part.at), part.from + Math.min(part.text.length, end - part.at)])
        }
      }
    }
  }
  return spans
}

/** The pieces of a side: where each stands in its text (`at`), and in all of them (`from`). */
function partsOf(pieces: readonly Piece[], side: Side): { op: Op; text: string; at: number; from: number }[] {
  const parts: { op: Op; text: string; at: number; from: number }[] = []
  let [at, from] = [0, 0]
  for (const [op, text] of pieces) {
    if (op !== HIDDEN[side]) {
      parts.push({ op, text, at, from })
      at += text.length
    }
    from += text.length
  }
  return parts
}

/** Whether what stands there is no part of a longer word or figure: the 5 of $15, or of 5.2, is not 5. */
function isWhole(text: string, at: number, end: number): boolean {
  const before = /[\p{L}\p{N}]$|\d[.,]$/u.test(text.slice(Math.max(0, at - 2), at)) && /^[\p{L}\p{N}]/u.test(text.slice(at))
  const behind = /^[\p{L}\p{N}]|^[.,]\d/u.test(text.slice(end, end + 2)) && /[\p{L}\p{N}]$/u.test(text.slice(at, end))
  return !before && !behind
}
