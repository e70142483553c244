import { useQuery } from '@tanstack/react-query'
import { unwrap, api } from '@/api/client'
import { QueryView } from '@/components/feedback/QueryView'
import { DifferenceView } from './DifferenceView'
import type { SectionChange } from './types'

type Given = { pageId: number; from: string; to: string; inList?: boolean }

/** What differs between two versions of a page, as the API compares them. */
export function PageDifference({ pageId, from, to, inList }: Given) {
  const difference = useQuery({
    queryKey: ['difference', pageId, from, to],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/pages/{page_id}/difference', { params: { path: { page_id: pageId }, query: { from, to } }, signal })),
    staleTime: Infinity,
  })
  // openapi-fetch takes pairs for lists of any length: the cast gives back the document's own type.
  return (
    <QueryView query={difference} what="the difference">
      {({ sections, summary, notes }) => <DifferenceView sections={sections as unknown as SectionChange[]} summary={summary.text} notes={notes} inList={inList} />}
    </QueryView>
  )
}
