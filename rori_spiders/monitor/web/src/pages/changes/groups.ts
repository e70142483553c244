import { pluralize } from '@/lib/pluralize'
import type { PageChange } from './queries'

/** Changes of one publication, in the order of the list; *day* is its days (UTC). */
export type Group = { key: string; name: string; day: string; changes: PageChange[]; isCut: boolean }

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** *cut*: where the list goes on behind *changes*, which groups may have more there: the last one, or any. */
export function groupChanges(changes: readonly PageChange[], cut: 'last' | 'any' | 'none' = 'none'): Group[] {
  const groups = new Map<string, Group>()
  for (const change of changes) {
    const key = change.publication
    const group = groups.get(key)
    if (group) group.changes.push(change)
    else groups.set(key, { key, name: change.publication_name, day: '', changes: [change], isCut: cut === 'any' })
  }
  const weight = { high: 3, medium: 2, low: 1, initial: 0 } as const
  for (const group of groups.values()) group.changes.sort((one, other) => weight[other.importance] - weight[one.importance])
  const found = cut === 'any' ? [...groups.values()] : mergeLow([...groups.values()])
  const last = found.at(-1)
  if (last && cut === 'last') last.isCut = true
  return found.map((group) => ({ ...group, day: days(group.changes) }))
}

/** In the list by importance, the low changes of a site stand together: one entry, whatever their days and runs. */
function mergeLow(groups: readonly Group[]): Group[] {
  const merged = new Map<string, Group>()
  for (const group of groups) {
    const site = group.changes[0]?.site
    const isLow = group.changes.every((change) => change.importance === 'low')
    const key = isLow && site ? `low ${site}` : group.key
    const before = merged.get(key)
    if (!before) merged.set(key, { ...group, key })
    else {
      before.changes.push(...group.changes)
      if (before.name !== group.name && site) before.name = site
    }
  }
  return [...merged.values()]
}

function days(changes: readonly PageChange[]): string {
  const times = changes.map((change) => change.at).sort()
  return [...new Set([times[0], times.at(-1)].map((at) => (at ? DAY.format(new Date(at)) : '')))].join(' to ')
}

/** A publication of many pages shows so many until somebody opens it; of low changes one line is enough. */
const [FOLDED, FOLDED_LOW] = [3, 1]

/** Whether two changes of a publication are the same edit, word for word and as a whole: it is read once. */
const isSame = (one: PageChange, other: PageChange) => one === other || (one.edit !== null && one.importance === other.importance && one.edit === other.edit)

/** On how many pages, and of how many sources where it is more than one: "36 pages of 3 sources". */
export function countPages(group: Group): string {
  const [known, sources] = [group.changes[0]?.together.pages ?? 0, new Set(group.changes.map((change) => change.source_id)).size]
  // A list that goes on knows more than it shows; one that was read meanwhile may show more than was counted.
  const pages = Math.max(group.isCut ? known : 0, new Set(group.changes.map((change) => change.page_id)).size)
  return `${pluralize(pages, 'page')}${sources > 1 ? ` of ${sources} sources` : ''}`
}

/** How many changes are in it, those that are not loaded included. */
export function countChanges({ changes, isCut }: Group): number {
  return Math.max(isCut ? (changes[0]?.together.changes ?? 0) : 0, changes.length)
}

/** How many other changes of the publication are the same. */
export function countSame(changes: readonly PageChange[], change: PageChange): number {
  return changes.filter((one) => isSame(one, change)).length - 1
}

/** What a publication shows until it is opened, and the words that open it: low changes stand behind what matters more. */
export function foldChanges(group: Group): { first: PageChange[]; more: string | null } {
  const { changes } = group
  const above = changes.filter((change) => change.importance !== 'low')
  const differing = (above.length > 0 ? above : changes).filter((change, at, all) => all.findIndex((one) => isSame(one, change)) === at)
  const first = differing.slice(0, above.length > 0 ? FOLDED : FOLDED_LOW)
  const rest = changes.length - first.length
  if (rest === 0) return { first, more: null }
  const isWhole = countChanges(group) === changes.length
  if (above.length === first.length && isWhole) return { first, more: `Show ${pluralize(rest, 'low change')}` }
  return { first, more: `Show ${isWhole ? 'all ' : ''}${changes.length}` }
}
