import { diffArrays } from 'diff'

export type Line = { op: '=' | '-' | '+'; text: string; old: number | null; new: number | null }
/** Lines that are shown, or a stretch without a change that is folded. */
export type Stretch = { folded: boolean; lines: Line[] }

const AROUND = 3
/** Longer comparisons would hold up the page: beyond so many edits jsdiff gives up. */
const MOST_EDITS = 4_000

/** Two texts line by line; null when they differ in too much to be compared here. */
export function compareLines(before: string, after: string): Line[] | null {
  const parts = diffArrays(before.split('\n'), after.split('\n'), { maxEditLength: MOST_EDITS })
  if (!parts) return null
  let [old, now] = [0, 0]
  return parts.flatMap((part) =>
    part.value.map((text): Line => {
      if (part.added) return { op: '+', text, old: null, new: ++now }
      if (part.removed) return { op: '-', text, old: ++old, new: null }
      return { op: '=', text, old: ++old, new: ++now }
    }),
  )
}

/** *lines* with what is far from every change folded. */
export function foldStretches(lines: readonly Line[]): Stretch[] {
  const near = new Uint8Array(lines.length)
  for (const [at, line] of lines.entries()) {
    if (line.op !== '=') near.fill(1, Math.max(0, at - AROUND), at + AROUND + 1)
  }
  const found: Stretch[] = []
  for (const [at, line] of lines.entries()) {
    const folded = near[at] === 0
    const last = found.at(-1)
    if (last?.folded === folded) last.lines.push(line)
    else found.push({ folded, lines: [line] })
  }
  return found
}
