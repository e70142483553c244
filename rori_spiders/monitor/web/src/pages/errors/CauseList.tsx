import { useQuery } from '@tanstack/react-query'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { Table } from '@/components/data/Table'
import { CAUSE_COLUMNS } from './causeColumns'
import { causesQuery, type Chosen } from './queries'

/** Failures by cause, those that cost most first. */
export function CauseList({ chosen }: { chosen: Chosen }) {
  const query = useQuery(causesQuery(chosen))
  return (
    <QueryView query={query} what="the causes">
      {({ items, is_cut }) =>
        items.length === 0 ? (
          <EmptyState title="No matching failures.">Clear a filter or choose other dates.</EmptyState>
        ) : (
          <>
            <Table caption="Failures by cause" columns={CAUSE_COLUMNS} rows={items} id={(row) => String(row.audit_id)} busy={query.isPlaceholderData} />
            <p role="status" className="mt-3 text-sm text-quiet">
              {items.length.toLocaleString()} shown{is_cut && '; older causes exist: choose a source or dates'}.
            </p>
          </>
        )
      }
    </QueryView>
  )
}
