import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { pageQuery } from '@/pages/corpus/queries'
import { differenceQuery, textQuery } from './textQuery'

/** Asks for a page and what its first tab shows while another one is read: who goes on to it does not wait. */
export function usePrefetchedPage(runId: string, pageId: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    if (pageId === undefined) return
    void (async () => {
      await client.prefetchQuery(pageQuery(runId, pageId))
      const page = client.getQueryData(pageQuery(runId, pageId).queryKey)
      if (!page?.texts.includes('clean')) return
      await client.prefetchQuery(differenceQuery(page, 'raw'))
      const difference = client.getQueryData(differenceQuery(page, 'raw').queryKey)
      if (difference?.sections.length === 0) await client.prefetchQuery(textQuery(page, 'clean'))
    })()
  }, [client, runId, pageId])
}
