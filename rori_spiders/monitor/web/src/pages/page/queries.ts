import { queryOptions } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'

/** The text of a version. It never changes. */
export function markdownQuery(id: string) {
  return queryOptions({
    queryKey: ['version', id, 'markdown'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/versions/{version_id}/markdown', { params: { path: { version_id: id } }, parseAs: 'text', signal })),
    staleTime: Infinity,
  })
}
