import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '@/api/session'
import { Button } from '@/components/forms/Button'
import { Select } from '@/components/forms/filters'
import { useAction } from '@/components/forms/useAction'
import { showToast } from '@/components/feedback/Toast'
import { Loading, ErrorMessage } from '@/components/feedback/states'
import { Table } from '@/components/data/Table'
import { changeSummaryQuery, ownersQuery, setOwner } from '../changes/queries'
import { COLUMNS } from './columns'
import { LIMIT, sourcesQuery, UNNAMED, type Chosen, type Facets } from './queries'

const FIRST = 100
/** Each group that is opened is asked for. */
const MOST_AT_ONCE = 12

type Given = { by: keyof Facets; facets: Facets; chosen: Chosen; open: (change: Chosen) => void }

/** The sources by agency, category, domain or status: the groups and their counts; a group is read when it is opened. */
export function Groups({ by, facets, chosen, open }: Given) {
  const [all, setAll] = useState(false)
  const [opened, setOpened] = useState(false)
  const groups = inOrder(facets[by], by, chosen).filter(([name]) => chosen[by] === undefined || chosen[by] === (name || UNNAMED))
  const shown = all ? groups : groups.slice(0, FIRST)
  return (
    <>
      {groups.length > 1 && groups.length <= MOST_AT_ONCE && (
        <Button className="mb-2" onClick={() => setOpened(!opened)}>
          {opened ? 'Collapse all' : 'Expand all'}
        </Button>
      )}
      <ul className="grid gap-2">
        {shown.map(([name, count]) => (
          <Group key={`${name} ${String(opened)}`} name={name} count={count} by={by} chosen={chosen} open={open} opened={opened} />
        ))}
      </ul>
      {!all && groups.length > FIRST && (
        <Button className="mt-2" onClick={() => setAll(true)}>
          Show all {groups.length} groups
        </Button>
      )}
    </>
  )
}

/** By name where the sources are sorted by that too (the worst status first, as the API has it), else the largest first. */
function inOrder(counts: Record<string, number>, by: keyof Facets, { sort, order }: Chosen): [string, number][] {
  const groups = Object.entries(counts)
  if (sort === by || sort === 'name') return order === 'desc' ? groups.reverse() : groups
  return groups.sort(([a, many], [b, more]) => more - many || a.localeCompare(b))
}

function Group({ name, count, by, chosen, open, opened }: Omit<Given, 'facets'> & { name: string; count: number; opened: boolean }) {
  const [seen, setSeen] = useState(opened)
  const word = name || UNNAMED
  const shown = name || 'none'
  return (
    <li>
      {by === 'agency' && name && <Owner agency={name} />}
      <details open={opened} onToggle={(event) => event.currentTarget.open && setSeen(true)} className="rounded-lg border bg-card">
        <summary className="px-3 py-2 text-sm">
          <span className="font-medium [overflow-wrap:anywhere]">{shown}</span> <span className="text-quiet tabular-nums">({count.toLocaleString()})</span>
        </summary>
        {seen && (
          <div className="border-t p-2">
            <Members caption={`Sources: ${shown}`} chosen={{ ...chosen, [by]: word, offset: undefined }} />
            {count > LIMIT && (
              <Button className="mt-2" onClick={() => open({ [by]: word, group: undefined })}>
                Show all {count.toLocaleString()} in {shown}
              </Button>
            )}
          </div>
        )}
      </details>
    </li>
  )
}

/** Who owns the agency: changes of its sources are theirs as long as nobody is assigned. */
function Owner({ agency }: { agency: string }) {
  const { role } = useSession()
  const { data } = useQuery(ownersQuery)
  const people = useQuery(changeSummaryQuery).data?.people ?? []
  const own = useAction(
    (owner: string | null) => setOwner(agency, owner),
    (_, owner) => showToast(`${agency}: ${owner ? `owned by ${owner}` : 'no owner'}.`),
  )
  const owner = data?.find((one) => one.agency === agency)?.owner ?? undefined
  if (role !== 'operator') return owner ? <p className="mb-1 text-sm text-quiet">Owner: {owner}</p> : null
  return (
    <div className="mb-1 max-w-60">
      <Select label={`Owner of ${agency}`} value={owner} all="Nobody" options={people} pick={(name) => own.mutate(name ?? null)} />
    </div>
  )
}

function Members({ caption, chosen }: { caption: string; chosen: Chosen }) {
  const { data, error, refetch } = useQuery(sourcesQuery(chosen, LIMIT))
  if (error && !data) return <ErrorMessage error={error} again={() => void refetch()} />
  if (!data) return <Loading what="the sources" />
  return <Table caption={caption} compact columns={COLUMNS} rows={data.items} id={(row) => row.id} />
}
