import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { unwrap, api } from '@/api/client'
import { StateBadge } from '@/components/feedback/Badge'
import { SearchBox } from '@/components/forms/filters'
import { QueryView } from '@/components/feedback/QueryView'

const SHOWN = 20

/** Several sources, found by their name. */
export function SourcePicker({ picked, pick }: { picked: readonly string[]; pick: (ids: string[]) => void }) {
  const [q, setQ] = useState<string>()
  const find = useCallback((text: string | undefined) => setQ(text), [])
  const sources = useQuery({
    queryKey: ['sources', 'pick', q],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources', { params: { query: { q, limit: SHOWN } }, signal })),
    placeholderData: keepPreviousData,
  })
  const turn = (id: string) => pick(picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id])
  return (
    <div className="grid gap-2">
      <div className="max-w-sm">
        <SearchBox label="Find sources" value={q} find={find} hint="ID, name or URL" />
      </div>
      {picked.length > 0 && <Picked ids={picked} drop={turn} />}
      <QueryView query={sources} what="the sources">
        {({ items, matching }) => (
          <>
            <ul className="grid max-h-64 gap-1 overflow-y-auto rounded-md border p-2 text-sm">
              {items.map((one) => (
                <li key={one.id}>
                  <label className="flex items-baseline gap-2">
                    <input type="checkbox" checked={picked.includes(one.id)} onChange={() => turn(one.id)} />
                    <span className="min-w-0 [overflow-wrap:anywhere]">
                      {one.name} <span className="text-quiet">{one.id}</span>
                    </span>
                    <StateBadge state={one.status} />
                  </label>
                </li>
              ))}
              {items.length === 0 && <li className="text-quiet">No matching sources.</li>}
            </ul>
            {matching > items.length && <p className="text-xs text-quiet">{(matching - items.length).toLocaleString()} more; refine the search.</p>}
          </>
        )}
      </QueryView>
    </div>
  )
}

function Picked({ ids, drop }: { ids: readonly string[]; drop: (id: string) => void }) {
  return (
    <ul aria-label="Selected sources" className="flex flex-wrap gap-1.5">
      {ids.map((id) => (
        <li key={id}>
          <button type="button" onClick={() => drop(id)} aria-label={`Remove ${id}`} className="min-h-6 rounded border border-edge bg-raised px-1.5 text-sm">
            {id} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
