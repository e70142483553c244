import { Button } from '@/components/forms/Button'

/** Back and forth through a list that can be counted. Offsets and limits are rows. */
export function Paging({ offset, limit, total, go }: { offset: number; limit: number; total: number; go: (offset: number) => void }) {
  if (total <= limit && offset === 0) return null
  return (
    <nav aria-label="Pagination" className="mt-3 flex flex-wrap items-center gap-3 text-sm">
      <Button disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
        Previous
      </Button>
      <span className="tabular-nums">
        {Math.min(offset + 1, total)}–{Math.min(offset + limit, total)} of {total.toLocaleString()}
      </span>
      <Button disabled={offset + limit >= total} onClick={() => go(offset + limit)}>
        Next
      </Button>
    </nav>
  )
}
