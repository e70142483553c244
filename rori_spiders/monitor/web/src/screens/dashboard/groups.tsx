import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/parts/button'
import { Loading, Trouble } from '@/parts/states'
import { Table } from '@/parts/table'
import { COLUMNS } from './columns'
import { LIMIT, sourcesQuery, type Chosen, type Facets } from './queries'

const FIRST = 100

type Given = { by: keyof Facets; facets: Facets; chosen: Chosen; open: (change: Chosen) => void }

/** The sources by agency, category, domain or status: the groups and their counts; a group is read when it is opened. */
export function Groups({ by, facets, chosen, open }: Given) {
  const [all, setAll] = useState(false)
  const groups = Object.entries(facets[by])
    .filter(([name]) => chosen[by] === undefined || chosen[by] === name)
    .sort(([a, many], [b, more]) => more - many || a.localeCompare(b))
  const shown = all ? groups : groups.slice(0, FIRST)
  return (
    <>
      <ul className="grid gap-2">
        {shown.map(([name, count]) => (
          <Group key={name} name={name} count={count} by={by} chosen={chosen} open={open} />
        ))}
      </ul>
      {!all && groups.length > FIRST && (
        <Button className="mt-2" onClick={() => setAll(true)}>
          All {groups.length} groups
        </Button>
      )}
    </>
  )
}

function Group({ name, count, by, chosen, open }: Omit<Given, 'facets'> & { name: string; count: number }) {
  const [seen, setSeen] = useState(false)
  const shown = name || 'none named'
  return (
    <li>
      <details onToggle={(event) => event.currentTarget.open && setSeen(true)} className="rounded-lg border bg-card">
        <summary className="px-3 py-2 text-sm">
          <span className="font-medium [overflow-wrap:anywhere]">{shown}</span> <span className="text-quiet tabular-nums">({count.toLocaleString()})</span>
        </summary>
        {seen && (
          <div className="border-t p-2">
            <Members caption={`Sources: ${shown}`} chosen={{ ...chosen, [by]: name, offset: undefined }} />
            {count > LIMIT && (
              <Button className="mt-2" onClick={() => open({ [by]: name, group: undefined })}>
                All {count.toLocaleString()} of {shown}
              </Button>
            )}
          </div>
        )}
      </details>
    </li>
  )
}

function Members({ caption, chosen }: { caption: string; chosen: Chosen }) {
  const { data, error, refetch } = useQuery(sourcesQuery(chosen))
  if (error && !data) return <Trouble error={error} again={() => void refetch()} />
  if (!data) return <Loading what="the sources" />
  return <Table caption={caption} columns={COLUMNS} rows={data.items} id={(row) => row.id} />
}
