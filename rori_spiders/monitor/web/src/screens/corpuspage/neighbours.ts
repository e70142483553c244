import { useState } from 'react'

type Known = { pageId: string; before: string | undefined; after: string | undefined; place: string }

/** The pages before and after this one in the list, also once it has left the list because it was decided about. */
export function useNeighbours(pageId: string, items: readonly { page_id: string }[] | undefined): Partial<Known> {
  const [known, setKnown] = useState<Known>()
  const at = items?.findIndex((one) => one.page_id === pageId) ?? -1
  const found = items && at >= 0 ? { pageId, before: items[at - 1]?.page_id, after: items[at + 1]?.page_id, place: `${at + 1} of ${items.length}` } : undefined
  if (found && (known?.pageId !== pageId || known.before !== found.before || known.after !== found.after || known.place !== found.place)) setKnown(found)
  return found ?? (known?.pageId === pageId ? known : {})
}
