import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Heading } from '@/components/layout/Heading'
import { Loading, ErrorMessage } from './states'
import { Time } from '@/components/data/Time'

/**
 * What a query gave; until then that it is being loaded, or why it cannot be. `screen`: of which nothing else is shown.
 * What cannot be asked anew is shown on, and says of when it is.
 */
export function QueryView<T>({ query, what, screen, children }: { query: UseQueryResult<T>; what: string; screen?: boolean; children: (found: T) => ReactNode }) {
  const again = () => void query.refetch()
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && (
          <ErrorMessage error={query.error} again={again}>
            Showing data from <Time at={new Date(query.dataUpdatedAt).toISOString()} />.
          </ErrorMessage>
        )}
        {children(query.data)}
      </>
    )
  }
  if (query.isError) {
    return (
      <>
        {screen && <Heading title={`Cannot load ${what}`} />}
        <ErrorMessage error={query.error} again={again} />
      </>
    )
  }
  return <Loading what={what} />
}
