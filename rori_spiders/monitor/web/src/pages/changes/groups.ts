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
  const found = [...groups.values()]
  const last = found.at(-1)
  if (last && cut === 'last') last.isCut = true
  return found
}

/** A publication of many pages shows so many until somebody opens it. */
const FOLDED = 3

/** What a publication shows until it is opened, and the words that open it: low changes stand behind what matters more. */
export function foldChanges({ changes, isCut }: Group): { first: PageChange[]; more: string | null } {
  const above = changes.filter((change) => change.importance !== 'low')
  const first = (above.length > 0 ? above : changes).slice(0, FOLDED)
  const rest = changes.length - first.length
  if (rest === 0) return { first, more: null }
  if (above.length === first.length) return { first, more: `Show ${rest} ${isCut ? 'or more ' : ''}low ${rest === 1 && !isCut ? 'change' : 'changes'}` }
  return { first, more: `Show ${isCut ? '' : 'all '}${changes.length}` }
}
