import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { paths } from '@/api/schema'
import type { Schemas } from '@/api/types'
import { startOfDay } from '@/lib/days'

export type PageChange = Schemas['PageChange']
export type ImportedChange = Schemas['ImportedChange']
export type ChangeSummary = Schemas['ChangeSummary']
export type Assignment = Pick<Schemas['AssignOrder'], 'assignee' | 'due_on' | 'comment'>
export type NoiseProposal = Schemas['NoiseProposal']
export type Decision = Schemas['ReviewOrder']['decision']
type ImportedQuery = NonNullable<paths['/api/v1/changes/imported']['get']['parameters']['query']>
type Query = NonNullable<paths['/api/v1/changes']['get']['parameters']['query']>

/** What stands in the address of the list; days are the viewer's, both included. Without `review`: what is open.
 * `assigned`: `mine`, `unread`, `overdue`, or a person's name behind `to `. */
export type Chosen = { [name in 'q' | 'source' | 'kind' | 'importance' | 'review' | 'assigned' | 'since' | 'until' | 'order']?: string }

/** *limit*: a phone's list is read on by thumb, some screens at a time. */
export function changesQuery({ since, until, assigned, order = 'importance', review = assigned === 'overdue' ? 'all' : 'open', ...filters }: Chosen, limit: number) {
  const [from, before] = [startOfDay(since), startOfDay(until, 1)]
  const query = { ...filters, order, limit, ...(review !== 'all' && { review }), ...whose(assigned), ...(from && { since: from }), ...(before && { until: before }) }
  return infiniteQueryOptions({
    queryKey: ['changes', query],
    queryFn: ({ signal, pageParam }) =>
      // The API says which words it knows; an address that a person changed gets its answer, not ours.
      unwrap(api.GET('/api/v1/changes', { params: { query: { ...query, ...(pageParam && { after: pageParam }) } as Query }, signal })),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })
}

/** Changes between imported texts: those filters that hold for what nobody reviews. */
export function importedChangesQuery({ since, until, q, source, kind, importance }: Chosen, limit: number) {
  const [from, before] = [startOfDay(since), startOfDay(until, 1)]
  const query = { q, source, kind, importance, limit, ...(from && { since: from }), ...(before && { until: before }) }
  return infiniteQueryOptions({
    queryKey: ['changes', 'imported', query],
    queryFn: ({ signal, pageParam }) => unwrap(api.GET('/api/v1/changes/imported', { params: { query: { ...query, ...(pageParam && { after: pageParam }) } as ImportedQuery }, signal })),
    initialPageParam: '',
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
  })
}

function whose(assigned: string | undefined) {
  if (assigned === 'mine') return { mine: true }
  if (assigned === 'overdue') return { overdue: true }
  if (assigned === 'unread') return { unread: true }
  return assigned ? { assignee: assigned.replace(/^to /, '') } : {}
}

export const changeSummaryQuery = queryOptions({
  queryKey: ['changes', 'summary'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/changes/summary', { signal })),
  refetchInterval: 60_000,
})

/** Static: once the decision is taken back, there is no proposal to be fetched anew. */
export function noiseLinesQuery(changeId: string) {
  return queryOptions({
    queryKey: ['changes', 'noise', changeId],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/changes/noise-lines', { params: { query: { change: [changeId] } }, signal })),
    staleTime: 'static',
  })
}

export function reviewChanges(changes: string[], decision: Decision, reason?: string) {
  return unwrap(api.POST('/api/v1/changes/review', { body: { changes, decision, reason: reason ?? null } }))
}

export function markChanges(changes: string[], read: boolean) {
  return unwrap(api.POST('/api/v1/session/changes/read', { body: { changes, read } }))
}

export function assignChanges(changes: string[], assignment: Assignment) {
  return unwrap(api.POST('/api/v1/changes/assign', { body: { changes, ...assignment } }))
}

export function commentChanges(changes: string[], text: string) {
  return unwrap(api.POST('/api/v1/changes/comment', { body: { changes, text } }))
}

export const ownersQuery = queryOptions({
  queryKey: ['changes', 'owners'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/changes/owners', { signal })),
})

export function setOwner(agency: string, owner: string | null) {
  return unwrap(api.POST('/api/v1/changes/owners', { body: { agency, owner } }))
}
