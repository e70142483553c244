import { useCallback } from 'react'
import { Select, DateInput, FilterBar, SearchBox } from '@/components/forms/filters'
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
const NOTHING: Chosen = { q: undefined, source: undefined, kind: undefined, importance: undefined, review: undefined, assigned: undefined, since: undefined, until: undefined, order: undefined }

/** Which changes. All of it stands in the address. */
export function Filters({ chosen, people, imported, change }: { chosen: Chosen; people: readonly string[]; imported: number; change: (changed: Chosen) => void }) {
  const isImported = chosen.review === 'imported'
  const reviews: [string, string][] = imported > 0 || isImported ? [...REVIEWS, ['imported', 'Imported texts, not seen']] : REVIEWS
  const find = useCallback((q: string | undefined) => change({ q }), [change])
  const bySource = useCallback((source: string | undefined) => change({ source }), [change])
  const set = Object.keys(NOTHING).filter((name) => chosen[name as keyof Chosen]).length
  return (
    <FilterBar
      folded
      set={set}
      clear={() => change(NOTHING)}
      isMoreSet={Boolean(chosen.q || chosen.source || chosen.since || chosen.until || chosen.order)}
      more={
        <>
          <SearchBox label="Search" value={chosen.q} find={find} hint="URL, title" />
          <SearchBox label="Source" value={chosen.source} find={bySource} hint="Source ID" />
          <DateInput label="From (UTC)" value={chosen.since} pick={(since) => change({ since })} />
          <DateInput label="To (UTC)" value={chosen.until} pick={(until) => change({ until })} />
          {!isImported && <Select label="Order" value={chosen.order} all="Important first" options={[['newest', 'Newest first']]} pick={(order) => change({ order })} />}
        </>
      }
    >
      <Select label="Review" value={chosen.review} all="To review" options={reviews} pick={(review) => change({ review })} />
      {!isImported && (
        <Select
          label="Assigned"
          value={chosen.assigned}
          all="To anybody"
          options={[['mine', 'Mine'], ['unread', 'Unread by me'], ['overdue', 'Overdue'], ...people.map((name): [string, string] => [`to ${name}`, `To ${name}`])]}
          pick={(assigned) => change({ assigned })}
        />
      )}
      <Select label="Importance" value={chosen.importance} options={LEVELS} pick={(importance) => change({ importance })} />
    </FilterBar>
  )
}
