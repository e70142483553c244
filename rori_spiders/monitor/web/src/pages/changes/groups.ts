import type { PageChange } from './queries'

/** Changes of one day (UTC) and publication, in the order of the list. */
export type Group = { key: string; name: string; day: string; changes: PageChange[]; isCut: boolean }

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** *cut*: where the list goes on behind *changes*, which groups may have more there: the last one, or any. */
export function groupChanges(changes: readonly PageChange[], cut: 'last' | 'any' | 'none' = 'none'): Group[] {
  const groups = new Map<string, Group>()
  for (const change of changes) {
    const day = DAY.format(new Date(change.at))
    const key = `${day} ${change.publication}`
    const group = groups.get(key)
    if (group) group.changes.push(change)
    else groups.set(key, { key, name: change.publication_name, day, changes: [change], isCut: cut === 'any' })
  }
  const weight = { high: 3, medium: 2, low: 1, initial: 0 } as const
  for (const group of groups.values()) group.changes.sort((one, other) => weight[other.importance] - weight[one.importance])
  const found = cut === 'any' ? [...groups.values()] : mergeLow([...groups.values()])
  const last = found.at(-1)
  if (last && cut === 'last') last.isCut = true
  return found
}

/** In the list by importance, the low changes of a source stand together: one entry, whatever their days and runs. */
function mergeLow(groups: readonly Group[]): Group[] {
  const merged = new Map<string, Group>()
  for (const group of groups) {
    const source = group.changes[0]?.source_id
    const isLow = group.changes.every((change) => change.importance === 'low')
    const key = isLow && source ? `low ${source}` : group.key
    const before = merged.get(key)
    if (before) before.changes.push(...group.changes)
    else merged.set(key, { ...group, key })
  }
  return [...merged.values()].map((group) => (group.key.startsWith('low ') ? { ...group, day: days(group.changes) } : group))
}

function days(changes: readonly PageChange[]): string {
  const times = changes.map((change) => change.at).sort()
  return [...new Set([times[0], times.at(-1)].map((at) => (at ? DAY.format(new Date(at)) : '')))].join(' to ')
}

/** A publication of many pages shows so many until somebody opens it; of low changes one line is enough. */
const [FOLDED, FOLDED_LOW] = [3, 1]

/** Whether two changes of a publication are the same, word for word: one edit on many pages is read once. */
const isSame = (one: PageChange, other: PageChange) => one.importance === other.importance && one.sentence === other.sentence

/** How many other changes of the publication are the same. */
export function countSame(changes: readonly PageChange[], change: PageChange): number {
  return changes.filter((one) => isSame(one, change)).length - 1
}

/** What a publication shows until it is opened, and the words that open it: low changes stand behind what matters more. */
export function foldChanges({ changes, isCut }: Group): { first: PageChange[]; more: string | null } {
  const above = changes.filter((change) => change.importance !== 'low')
  const differing = (above.length > 0 ? above : changes).filter((change, at, all) => all.findIndex((one) => isSame(one, change)) === at)
  const first = differing.slice(0, above.length > 0 ? FOLDED : FOLDED_LOW)
  const rest = changes.length - first.length
  if (rest === 0) return { first, more: null }
  if (above.length === first.length) return { first, more: `Show ${rest} ${isCut ? 'or more ' : ''}low ${rest === 1 && !isCut ? 'change' : 'changes'}` }
  return { first, more: `Show ${isCut ? '' : 'all '}${changes.length}` }
}
