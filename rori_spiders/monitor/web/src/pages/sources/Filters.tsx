import { useCallback } from 'react'
import { Select, FilterBar, SearchBox } from '@/components/forms/filters'
import { UNNAMED, type Chosen, type Facets } from './queries'

const FACETS = ['status', 'agency', 'category', 'domain'] as const
const FOLDED = ['agency', 'category', 'domain', 'group', 'sort'] as const
const LABELS = { status: 'Status', agency: 'Agency', category: 'Category', domain: 'Domain' }

/** Which sources: each choice says how many the others leave. */
export function Filters({ chosen, facets, change }: { chosen: Chosen; facets: Facets; change: (changed: Chosen) => void }) {
  const find = useCallback((q: string | undefined) => change({ q }), [change])
  const set = [chosen.q, ...FACETS.map((name) => chosen[name])].filter(Boolean).length
  const facet = (name: (typeof FACETS)[number]) => (
    <Select key={name} label={LABELS[name]} value={chosen[name]} options={options(facets[name], chosen[name])} pick={(value) => change({ [name]: value })} />
  )
  return (
    <FilterBar
      set={set}
      clear={() => change({ q: undefined, status: undefined, agency: undefined, category: undefined, domain: undefined })}
      isMoreSet={FOLDED.some((name) => chosen[name] !== undefined)}
      more={
        <>
          {FACETS.slice(1).map(facet)}
          <Select label="Group by" value={chosen.group} all="None" options={FACETS.map((name) => [name, LABELS[name]])} pick={(group) => change({ group })} />
          <Select
            label="Sort by"
            value={chosen.sort && `${chosen.sort} ${chosen.order ?? 'asc'}`}
            all="ID"
            options={SORTS}
            pick={(value) => {
              const [sort, order] = value?.split(' ') ?? []
              change({ sort, order })
            }}
          />
        </>
      }
    >
      <SearchBox label="Search" value={chosen.q} find={find} hint="Name, URL, agency" />
      {facet('status')}
    </FilterBar>
  )
}

const SORTS: [string, string][] = [
  ['status asc', 'Status, worst first'],
  ['status desc', 'Status, worst last'],
  ['name asc', 'Name, A to Z'],
  ['name desc', 'Name, Z to A'],
  ['agency asc', 'Agency'],
  ['domain asc', 'Domain'],
  ['last_run desc', 'Last run, latest first'],
  ['last_run asc', 'Last run, oldest first'],
  ['next_due asc', 'Next run, soonest first'],
  ['next_due desc', 'Next run, latest first'],
  ['pages desc', 'Most pages'],
  ['pages asc', 'Fewest pages'],
  ['changes desc', 'Most changes'],
  ['changes asc', 'Fewest changes'],
]

/** Words with counts; a word from the address stays, though nothing has it. The last is for the sources that name none. */
function options(counts: Record<string, number>, value: string | undefined): [string, string][] {
  const { '': unnamed, ...named } = counts
  if (value && value !== UNNAMED) named[value] ??= 0
  const all = Object.entries(named).sort(([a], [b]) => a.localeCompare(b))
  const shown = all.map(([word, count]): [string, string] => [word, `${word} (${count})`])
  return unnamed || value === UNNAMED ? [...shown, [UNNAMED, `none (${unnamed ?? 0})`]] : shown
}
