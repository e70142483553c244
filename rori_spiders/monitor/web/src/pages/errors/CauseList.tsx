import { useQuery } from '@tanstack/react-query'
import { EmptyState, Loading, ErrorMessage } from '@/components/feedback/states'
import { Table } from '@/components/data/Table'
import { CAUSE_COLUMNS } from './causeColumns'
import { causesQuery, type Chosen } from './queries'

/** Failures by cause, those that cost most first. */
export function CauseList({ chosen }: { chosen: Chosen }) {
  const { data, error, refetch, isPlaceholderData } = useQuery(causesQuery(chosen))
  if (error && !data) return <ErrorMessage error={error} again={() => void refetch()} />
  if (!data) return <Loading what="the causes" />
  if (data.items.length === 0) return <EmptyState title="No matching failures.">Clear a filter or choose other dates.</EmptyState>
  return (
    <>
      <Table caption="Failures by cause" columns={CAUSE_COLUMNS} rows={data.items} id={(row) => String(row.audit_id)} busy={isPlaceholderData} />
      <p role="status" className="mt-3 text-sm text-quiet">
        {data.items.length.toLocaleString()} shown{data.is_cut && '; older causes exist: choose a source or dates'}.
      </p>
    </>
  )
}
