import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '@/api/client'

/** The text of a version. It never changes. */
export function markdownQuery(id: string) {
  return queryOptions({
    queryKey: ['version', id, 'markdown'],
    queryFn: ({ signal }) => answer(api.GET('/api/versions/{version_id}/markdown', { params: { path: { version_id: id } }, parseAs: 'text', signal })),
    staleTime: Infinity,
  })
}
