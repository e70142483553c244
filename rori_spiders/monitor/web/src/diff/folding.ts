/** From how many characters on a stretch without a change is folded, and what of it stays on each side. */
const LONG = 400
const KEPT = 120

export type Folded = { head: string; hidden: string; tail: string }

/** *text* in three parts when it is long, cut between words; null when all of it is shown. */
export function foldText(text: string): Folded | null {
  if (text.length < LONG) return null
  const from = text.indexOf(' ', KEPT)
  const to = text.lastIndexOf(' ', text.length - KEPT)
  if (from < 0 || to <= from) return null
  return { head: text.slice(0, from), hidden: text.slice(from, to), tail: text.slice(to) }
}

export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}
