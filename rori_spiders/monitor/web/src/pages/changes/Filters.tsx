import { useCallback } from 'react'
import { Select, DateInput, FilterBar, SearchBox, type FilterChip } from '@/components/forms/filters'
import type { Chosen } from './queries'

const REVIEWS: [string, string][] = [
  ['material', 'Material'],
  ['closed', 'Closed'],
  ['not_material', 'Not material'],
  ['all', 'All changes'],
]
const LEVELS: [string, string][] = [
  ['high', 'High'],
  ['medium', 'Medium and high'],
]
const IMPORTED: [string, string] = ['imported', 'Imported texts, not seen']
const NEWEST: [string, string] = ['newest', 'Newest first']
const NOTHING: Chosen = { q: undefined, source: undefined, kind: undefined, importance: undefined, review: undefined, assigned: undefined, since: undefined, until: undefined, order: undefined }

const ASSIGNED: [string, string][] = [
  ['mine', 'Mine'],
  ['unread', 'Unread by me'],
  ['overdue', 'Overdue'],
]
const LABELS = { q: 'Search', source: 'Source', kind: 'Kind', importance: 'Importance', review: 'Review', assigned: 'Assigned', since: 'From', until: 'To', order: 'Order' } as const
const NAMES = Object.keys(LABELS) as (keyof Chosen)[]

/** The filters that hold, each as its control names it. */
function chipsOf(chosen: Chosen, change: (changed: Chosen) => void): FilterChip[] {
  const words = new Map([...REVIEWS, IMPORTED, ...LEVELS, ...ASSIGNED, NEWEST])
  return NAMES.flatMap((name) => {
    const value = chosen[name]
    if (!value) return []
    const shown = name === 'q' || name === 'source' ? value : (words.get(value) ?? value.replaceAll('_', ' '))
    return [{ words: `${LABELS[name]}: ${shown}`, remove: () => change({ [name]: undefined }), hasControl: name !== 'kind' }]
  })
}

/** Which changes. All of it stands in the address. */
export function Filters({ chosen, people, imported, change }: { chosen: Chosen; people: readonly string[]; imported: number; change: (changed: Chosen) => void }) {
  const isImported = chosen.review === 'imported'
  const reviews: [string, string][] = imported > 0 || isImported ? [...REVIEWS, IMPORTED] : REVIEWS
  const find = useCallback((q: string | undefined) => change({ q }), [change])
  const bySource = useCallback((source: string | undefined) => change({ source }), [change])
  const set = Object.keys(NOTHING).filter((name) => chosen[name as keyof Chosen]).length
  return (
    <FilterBar
      folded
      set={set}
      clear={() => change(NOTHING)}
      chips={chipsOf(chosen, change)}
      isMoreSet={Boolean(chosen.q || chosen.source || chosen.since || chosen.until || chosen.order)}
      more={
        <>
          <SearchBox label="Search" value={chosen.q} find={find} hint="URL, title" />
          <SearchBox label="Source" value={chosen.source} find={bySource} hint="Source ID" />
          <DateInput label="From (UTC)" value={chosen.since} pick={(since) => change({ since })} />
          <DateInput label="To (UTC)" value={chosen.until} pick={(until) => change({ until })} />
          {!isImported && <Select label="Order" value={chosen.order} all="Important first" options={[NEWEST]} pick={(order) => change({ order })} />}
        </>
      }
    >
      <Select label="Review" value={chosen.review} all="To review" options={reviews} pick={(review) => change({ review })} />
      {!isImported && (
        <Select
          label="Assigned"
          value={chosen.assigned}
          all="To anybody"
          options={[...ASSIGNED, ...people.map((name): [string, string] => [`to ${name}`, `To ${name}`])]}
          pick={(assigned) => change({ assigned })}
        />
      )}
      <Select label="Importance" value={chosen.importance} options={LEVELS} pick={(importance) => change({ importance })} />
    </FilterBar>
  )
}
