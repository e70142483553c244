import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { neighboursQuery, LIMIT, neighboursOffset } from '@/pages/corpus/queries'
import type { Chosen } from '@/pages/corpus/pageFilters'

/** A page of the run, and where the part of the list begins in which it stands. */
export type Neighbour = { pageId: string; offset: string | undefined }
type Known = { pageId: string; before: Neighbour | undefined; after: Neighbour | undefined; place: string }

/** The pages before and after this one in the list, also once it has left the list because it was decided about. */
export function useNeighbours(runId: string, pageId: string, chosen: Chosen): Partial<Known> {
  const { data } = useQuery(neighboursQuery(runId, chosen))
  const [known, setKnown] = useState<Known>()
  const from = neighboursOffset(chosen)
  const at = data?.items.findIndex((one) => one.page_id === pageId) ?? -1
  const beside = (step: number): Neighbour | undefined => {
    const one = data?.items[at + step]
    const offset = Math.floor((from + at + step) / LIMIT) * LIMIT
    return one && { pageId: one.page_id, offset: offset ? String(offset) : undefined }
  }
  const found = data && at >= 0 ? { pageId, before: beside(-1), after: beside(1), place: `${(from + at + 1).toLocaleString()} of ${data.total.toLocaleString()}` } : undefined
  if (found && JSON.stringify(found) !== JSON.stringify(known)) setKnown(found)
  return found ?? (known?.pageId === pageId ? known : {})
}
