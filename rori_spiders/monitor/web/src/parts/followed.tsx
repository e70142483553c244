import type { UseInfiniteQueryResult, InfiniteData } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button'
import { Loading, Trouble } from './states'

type Part<T> = { items: T[] }

/** A list that is read on from where it ended: what is there, and a button for more. */
export function Followed<T>({ query, what, children }: { query: UseInfiniteQueryResult<InfiniteData<Part<T>>>; what: string; children: (items: T[]) => ReactNode }) {
  if (!query.data) return query.isError ? <Trouble error={query.error} again={() => void query.refetch()} /> : <Loading what={what} />
  return (
    <>
      {children(query.data.pages.flatMap((part) => part.items))}
      {query.isError && <Trouble error={query.error} />}
      {query.hasNextPage && (
        <Button className="mt-3" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {query.isFetchingNextPage ? 'Loading …' : 'Show more'}
        </Button>
      )}
    </>
  )
}
