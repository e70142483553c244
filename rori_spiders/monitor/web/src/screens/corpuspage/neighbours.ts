import { useState } from 'react'

type List = { items: readonly { page_id: string }[]; total: number }
type Known = { pageId: string; before: string | undefined; after: string | undefined; place: string }

/** The pages before and after this one in the list, also once it has left the list because it was decided about. */
export function useNeighbours(pageId: string, pages: List | undefined, offset: number): Partial<Known> {
  const items = pages?.items
  const [known, setKnown] = useState<Known>()
  const at = items?.findIndex((one) => one.page_id === pageId) ?? -1
  const found = pages && items && at >= 0 ? { pageId, before: items[at - 1]?.page_id, after: items[at + 1]?.page_id, place: `${(offset + at + 1).toLocaleString()} of ${pages.total.toLocaleString()}` } : undefined
  if (found && (known?.pageId !== pageId || known.before !== found.before || known.after !== found.after || known.place !== found.place)) setKnown(found)
  return found ?? (known?.pageId === pageId ? known : {})
}
