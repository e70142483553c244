import { queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import type { PageDetail } from '@/pages/corpus/types'

export type Which = PageDetail['texts'][number]
export const NAMES: Record<Which, string> = { raw: 'Converted', draft: 'After rules', clean: 'Cleaned', document: 'To be published' }

/** One text of a page, as long as its document is the one that is shown. */
export function textQuery(page: PageDetail, which: Which) {
  return queryOptions({
    queryKey: ['corpus run', page.run_id, 'text', page.page_id, which, page.document],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/v1/corpus/runs/{run_id}/pages/{page_id}/texts/{which}', { params: { path: { run_id: page.run_id, page_id: page.page_id, which } }, parseAs: 'text', signal })),
    staleTime: 60_000,
  })
}

/** The cleaned text beside the converted one, or the text after the rules, section by section. */
export function differenceQuery(page: PageDetail, from: 'raw' | 'draft') {
  return queryOptions({
    queryKey: ['corpus run', page.run_id, 'difference', page.page_id, from, page.document],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/v1/corpus/runs/{run_id}/pages/{page_id}/difference', { params: { path: { run_id: page.run_id, page_id: page.page_id }, query: { from, to: 'clean' } }, signal })),
    staleTime: 60_000,
  })
}
