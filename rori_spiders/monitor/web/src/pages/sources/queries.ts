import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { paths } from '@/api/schema'
import type { Schemas } from '@/api/types'

export type SourceRow = Schemas['SourceRow']
export type Found = Schemas['Sources']
export type Facets = Schemas['Facets']
export type Alert = Schemas['Alert']
export type Activity = Schemas['Activity']
type Asked = NonNullable<paths['/api/v1/sources']['get']['parameters']['query']>

/** What stands in the address of the list; all of it is text. */
export type Chosen = { q?: string; status?: string; agency?: string; category?: string; domain?: string; sort?: string; order?: string; offset?: string; group?: string }

/** Of a list in one screen; of a phone's, which is read by thumb. */
export const LIMIT = 50
export const PHONE_LIMIT = 20
/** What stands in the address for the sources that name no agency: an empty word would not stand there. */
export const UNNAMED = '-'

export function sourcesQuery({ q, status, agency, category, domain, sort, order, offset }: Chosen, limit: number) {
  // The API says which words it knows; an address that a person changed gets its answer, not ours.
  const query = { q, status, agency: agency === UNNAMED ? '' : agency, category, domain, sort, order, offset: Number(offset ?? 0) || 0, limit } as Asked
  return queryOptions({
    queryKey: ['sources', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
}

/** How many sources have each status; of the sources themselves no more than the API must give. */
export const statusCountsQuery = queryOptions({
  queryKey: ['sources', 'statuses'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/sources', { params: { query: { limit: 1 } }, signal })),
  refetchInterval: 30_000,
  select: ({ facets }) => facets.status,
})

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/alerts', { signal })),
  refetchInterval: 30_000,
})

export const activityQuery = queryOptions({
  queryKey: ['activity'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/activity', { signal })),
})
