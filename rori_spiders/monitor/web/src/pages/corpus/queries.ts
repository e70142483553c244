import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import { filterQuery, type Chosen } from './pageFilters'

export const LIMIT = 50
/** How often what a machine works on is asked for anew; what waits for a person changes by other people alone. */
const BUSY_MS = 3_000
const CALM_MS = 20_000
/** States of a loader that a process changes soon. */
const LOADS = ['not started', 'started']

export const corporaQuery = queryOptions({
  queryKey: ['corpora'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus', { signal })),
  refetchInterval: (query) => (query.state.data?.items.some((one) => one.run?.turn === 'machine') ? BUSY_MS : CALM_MS),
})

export function domainQuery(domain: string) {
  return queryOptions({
    queryKey: ['corpora', domain],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus/domains/{domain}', { params: { path: { domain } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.runs.some((one) => one.turn === 'machine') || LOADS.includes(data?.versions[0]?.loader_state ?? '') ? BUSY_MS : CALM_MS),
  })
}

export function runQuery(runId: string) {
  return queryOptions({
    queryKey: ['corpus run', runId],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus/runs/{run_id}', { params: { path: { run_id: runId } }, signal })),
    refetchInterval: (query) => (query.state.data?.turn === 'machine' ? BUSY_MS : CALM_MS),
  })
}

/** The pages that an address of the run's screen asks for; *busy*: they change while one looks. */
export function pagesQuery(runId: string, chosen: Chosen, busy = false) {
  return listed(runId, chosen, offsetOf(chosen), LIMIT, busy)
}

/** The same, with one more at either end: the neighbours of the first and of the last. */
export function neighboursQuery(runId: string, chosen: Chosen) {
  const from = neighboursOffset(chosen)
  return listed(runId, chosen, from, offsetOf(chosen) - from + LIMIT + 1, false)
}

/** Where that begins. */
export function neighboursOffset(chosen: Chosen): number {
  return Math.max(0, offsetOf(chosen) - 1)
}

function listed(runId: string, chosen: Chosen, offset: number, limit: number, busy: boolean) {
  const query = { section: chosen.section, q: chosen.q, ...filterQuery(chosen.show), offset, limit }
  return queryOptions({
    queryKey: ['corpus run', runId, 'pages', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus/runs/{run_id}/pages', { params: { path: { run_id: runId }, query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: busy ? BUSY_MS : false,
  })
}

export function offsetOf({ offset }: Chosen): number {
  return Math.max(0, Number.parseInt(offset ?? '0', 10) || 0)
}

export function pageQuery(runId: string, pageId: string) {
  return queryOptions({
    queryKey: ['corpus run', runId, 'page', pageId],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/corpus/runs/{run_id}/pages/{page_id}', { params: { path: { run_id: runId, page_id: pageId } }, signal })),
  })
}
