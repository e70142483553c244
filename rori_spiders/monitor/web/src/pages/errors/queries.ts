import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { paths } from '@/api/schema'
import type { Schemas } from '@/api/types'
import { stringifySearch } from '@/lib/searchParams'
import { startOfDay } from '@/lib/days'

export type Failure = Schemas['Failure']
type Asked = NonNullable<paths['/api/failures']['get']['parameters']['query']>

/** What stands in the address of the error log; days are the viewer's, both included. */
export type Chosen = { [name in 'q' | 'source' | 'verdict' | 'status' | 'severity' | 'tier' | 'resolved' | 'since' | 'until' | 'sort']?: string }

function asked({ since, until, ...filters }: Chosen): Record<string, string> {
  const [from, before] = [startOfDay(since), startOfDay(until, 1)]
  return { ...filters, ...(from && { since: from }), ...(before && { until: before }) }
}

export function failuresQuery(chosen: Chosen) {
  const query = asked(chosen)
  return infiniteQueryOptions({
    queryKey: ['failures', query],
    queryFn: ({ signal, pageParam }) =>
      // The API says which words it knows; an address that a person changed gets its answer, not ours.
      unwrap(api.GET('/api/failures', { params: { query: { ...query, ...(pageParam && { after: pageParam }) } as Asked }, signal })),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })
}

/** The same list as a file, whole. */
export function csvPath(chosen: Chosen): `/api/${string}` {
  return `/api/failures.csv${stringifySearch(asked(chosen))}`
}
