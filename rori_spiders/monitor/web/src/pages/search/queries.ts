import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { paths } from '@/api/schema'
import type { Schemas } from '@/api/types'
import { startOfDay } from '@/lib/days'

export type SearchHit = Schemas['SearchHit']
type Query = NonNullable<paths['/api/v1/search']['get']['parameters']['query']>

/** What stands in the address of the search; days are in UTC, both included. */
export type Chosen = { [name in 'q' | 'cites' | 'source' | 'agency' | 'since' | 'until' | 'past']?: string }

export function searchQuery({ since, until, past, ...chosen }: Chosen) {
  const [from, before] = [startOfDay(since), startOfDay(until, 1)]
  const query: Query = { ...chosen, limit: 50, ...(past && { past: true }), ...(from && { since: from }), ...(before && { until: before }) }
  return queryOptions({
    queryKey: ['search', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/search', { params: { query }, signal })),
    enabled: Boolean(chosen.q ?? chosen.cites),
    placeholderData: keepPreviousData,
  })
}

export const agenciesQuery = queryOptions({
  queryKey: ['search', 'agencies'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/search/agencies', { signal })),
})
