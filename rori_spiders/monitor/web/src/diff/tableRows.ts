import type { Shown } from './highlights'

const RULE = /(?<!\\)\|/

/**
 * Lines of a markdown table as rows of cells, each with its own pieces; null when *pieces* are not such rows, or are of
 * both sides: then where a cell ends is not the same in both.
 */
export function tableRows(pieces: readonly Shown[]): Shown[][][] | null {
  const lines = split(pieces, /\n/).filter((line) => textOf(line).trim())
  const ops = new Set(pieces.map((piece) => piece.op))
  if (ops.has('-') && ops.has('+')) return null
  if (!lines.length || !lines.every((line) => /^\s*\|.*\|\s*$/s.test(textOf(line)))) return null
  return lines.map((line) => split(line, RULE).slice(1, -1))
}

function textOf(pieces: readonly Shown[]): string {
  return pieces.map((piece) => piece.text).join('')
}

function split(pieces: readonly Shown[], at: RegExp): Shown[][] {
  const parts: Shown[][] = [[]]
  for (const piece of pieces) {
    for (const [place, text] of piece.text.split(at).entries()) {
      if (place) parts.push([])
      if (text) parts.at(-1)?.push({ ...piece, text })
    }
  }
  return parts
}
