import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading, Trouble } from './states'

/** What a query gave; until then that it is being loaded, or why it cannot be. */
export function Loaded<T>({ query, what, children }: { query: UseQueryResult<T>; what: string; children: (found: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Trouble error={query.error} again={() => void query.refetch()} />
  return <Loading what={what} />
}
