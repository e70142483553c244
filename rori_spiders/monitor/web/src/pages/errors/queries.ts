import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { paths } from '@/api/schema'
import type { Schemas } from '@/api/types'
import { stringifySearch } from '@/lib/searchParams'
import { startOfDay } from '@/lib/days'

export type Failure = Schemas['Failure']
export type FailureCause = Schemas['FailureCause']
type Query = NonNullable<paths['/api/v1/failures']['get']['parameters']['query']>

/** What stands in the address of the error log; days are the viewer's, both included. */
export type Chosen = { [name in 'q' | 'source' | 'verdict' | 'status' | 'severity' | 'tier' | 'resolved' | 'since' | 'until' | 'sort' | 'view']?: string }

function apiQuery({ since, until, ...chosen }: Chosen): Record<string, string> {
  const filters = { ...chosen }
  delete filters.view // the page's alone
  const [from, before] = [startOfDay(since), startOfDay(until, 1)]
  return { ...filters, ...(from && { since: from }), ...(before && { until: before }) }
}

export function failuresQuery(chosen: Chosen) {
  const query = apiQuery(chosen)
  return infiniteQueryOptions({
    queryKey: ['failures', query],
    queryFn: ({ signal, pageParam }) =>
      // The API says which words it knows; an address that a person changed gets its answer, not ours.
      unwrap(api.GET('/api/v1/failures', { params: { query: { ...query, ...(pageParam && { after: pageParam }) } as Query }, signal })),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })
}

export function causesQuery(chosen: Chosen) {
  const query = apiQuery(chosen)
  return queryOptions({
    queryKey: ['failures', 'causes', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/failures/causes', { params: { query: query as Query }, signal })),
    placeholderData: keepPreviousData,
  })
}

/** The list of all failures as a file, whole. */
export function csvPath(chosen: Chosen): `/api/v1/${string}` {
  return `/api/v1/failures.csv${stringifySearch(apiQuery(chosen))}`
}
