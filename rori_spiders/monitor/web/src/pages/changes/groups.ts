import type { PageChange } from './queries'

/** Changes of one day and publication, in the order of the list. */
export type Group = { key: string; name: string; day: string; changes: PageChange[] }

export function groupChanges(changes: readonly PageChange[]): Group[] {
  const groups = new Map<string, Group>()
  for (const change of changes) {
    const day = new Date(change.at).toDateString()
    const key = `${day} ${change.publication}`
    const group = groups.get(key)
    if (group) group.changes.push(change)
    else groups.set(key, { key, name: change.publication_name, day, changes: [change] })
  }
  const weight = { high: 3, medium: 2, low: 1, initial: 0 } as const
  for (const group of groups.values()) group.changes.sort((one, other) => weight[other.importance] - weight[one.importance])
  return [...groups.values()]
}
