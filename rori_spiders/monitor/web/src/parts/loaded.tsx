import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Heading } from './heading'
import { Loading, Trouble } from './states'

/** What a query gave; until then that it is being loaded, or why it cannot be. `screen`: of which nothing else is shown. */
export function Loaded<T>({ query, what, screen, children }: { query: UseQueryResult<T>; what: string; screen?: boolean; children: (found: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) {
    return (
      <>
        {screen && <Heading title={`${what.charAt(0).toUpperCase()}${what.slice(1)} cannot be shown`} />}
        <Trouble error={query.error} again={() => void query.refetch()} />
      </>
    )
  }
  return <Loading what={what} />
}
