import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '@/components/forms/Button'
import { EmptyState, Loading, ErrorMessage } from '@/components/feedback/states'
import { Table } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { COLUMNS } from './columns'
import { failuresQuery, type Chosen } from './queries'

/** The failures that are like that, and how far back the log was searched. */
export function FailureList({ chosen }: { chosen: Chosen }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } = useInfiniteQuery(failuresQuery(chosen))
  if (error && !data) return <ErrorMessage error={error} again={() => void refetch()} />
  if (!data) return <Loading what="the failures" />
  const rows = data.pages.flatMap((page) => page.items)
  const until = data.pages.at(-1)?.looked_until
  return (
    <>
      {rows.length > 0 ? (
        <Table caption="Failures" columns={COLUMNS} rows={rows} id={(row) => String(row.audit_id)} busy={isPlaceholderData} />
      ) : (
        <EmptyState title={hasNextPage ? 'No matching failures yet.' : 'No matching failures.'}>
          {hasNextPage ? 'Load older results to continue the search.' : 'Clear a filter or choose other dates.'}
        </EmptyState>
      )}
      {error && <ErrorMessage error={error} again={() => void fetchNextPage()} />}
      <div className="mt-3 flex flex-wrap items-center gap-3 text-sm">
        {hasNextPage && (
          <Button onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
            {isFetchingNextPage ? 'Searching …' : 'Load older results'}
          </Button>
        )}
        <span role="status" className="text-quiet">
          {rows.length.toLocaleString()} shown; searched {until ? <>back to <Time at={until} /></> : 'the whole log'}.
        </span>
      </div>
    </>
  )
}
