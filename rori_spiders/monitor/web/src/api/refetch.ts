import type { QueryClient, QueryFilters } from '@tanstack/react-query'

/**
 * Asks anew for all that is shown of *which*. What is still on its way goes first: the server may have read it before
 * the change. `invalidateQueries` alone lets the first answer of a query through, and takes it for current.
 */
export async function refetch(queries: QueryClient, which?: QueryFilters): Promise<void> {
  await queries.cancelQueries(which)
  await queries.invalidateQueries(which)
}
