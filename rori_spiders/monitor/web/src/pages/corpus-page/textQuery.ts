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
