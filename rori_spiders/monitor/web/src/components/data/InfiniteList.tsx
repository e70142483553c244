import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '@/components/forms/Button'
import { Loading, ErrorMessage } from '@/components/feedback/states'

type Part<T> = { items: T[] }

/** A list that is read on from where it ended: what is there, and a button for more. */
export function InfiniteList<T>({ query, what, children }: { query: UseInfiniteQueryResult<InfiniteData<Part<T>>>; what: string; children: (items: T[]) => ReactNode }) {
  if (!query.data) return query.isError ? <ErrorMessage error={query.error} again={() => void query.refetch()} /> : <Loading what={what} />
  return (
    <>
      {children(query.data.pages.flatMap((part) => part.items))}
      {query.isError && <ErrorMessage error={query.error} />}
      {query.hasNextPage && (
        <Button className="mt-3" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {query.isFetchingNextPage ? 'Loading …' : 'Load more'}
        </Button>
      )}
    </>
  )
}
