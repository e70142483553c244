import type { ReactNode } from 'react'

export type Column<Row> = {
  key: string
  title: string
  cell: (row: Row) => ReactNode
  /** the API's word to sort by; without it the column cannot be sorted */
  sort?: string
  end?: boolean
  /** on a phone: without its title, over the whole card */
  whole?: boolean
  /** not shown on a phone */
  wide?: boolean
}

export type Order = { by: string; down: boolean }

type Given<Row> = {
  caption: string
  columns: Column<Row>[]
  rows: readonly Row[]
  id: (row: Row) => string
  order?: Order
  sorted?: (order: Order) => void
  busy?: boolean
  /** on a phone the second column stands beside the name, and the others below without their titles */
  compact?: boolean
}

/** Rows of things; on a phone each row is a card. The first column is the row's name. */
export function Table<Row>({ caption, columns, rows, id, order, sorted, busy, compact }: Given<Row>) {
  return (
    // A wide table scrolls in its own frame, which the keyboard reaches.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={`${caption}, table`} tabIndex={0} className="overflow-x-auto md:rounded-lg md:border md:bg-card">
      <table data-cards={compact ? 'compact' : ''} aria-busy={busy} className={`w-full text-sm ${busy ? 'opacity-60' : ''}`}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b bg-raised text-start">
            {columns.map((column) => (
              <Head key={column.key} column={column} order={order} sorted={sorted} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)} className="md:border-b md:last:border-0 md:hover:bg-raised">
              {columns.map((column, place) =>
                place === 0 ? (
                  <th key={column.key} scope="row" className="px-3 py-2 text-start align-top font-normal">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.key}
                    data-column={column.whole ? undefined : column.title}
                    className={`px-3 py-2 align-top ${column.end ? 'text-end tabular-nums' : ''} ${column.wide ? 'max-md:hidden!' : ''}`}
                  >
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head<Row>({ column, order, sorted }: { column: Column<Row>; order?: Order; sorted?: (order: Order) => void }) {
  const here = column.sort !== undefined && order?.by === column.sort
  const direction = here ? (order.down ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" aria-sort={direction} className={`px-3 py-2 font-semibold whitespace-nowrap ${column.end ? 'text-end' : 'text-start'}`}>
      {column.sort !== undefined && sorted ? (
        <button type="button" className="rounded hover:underline" onClick={() => sorted({ by: column.sort ?? '', down: here ? !order.down : false })}>
          {column.title}
          <span aria-hidden="true" className={`ms-1 inline-block w-3 ${here ? '' : 'font-normal text-quiet'}`}>
            {here ? (order.down ? '▾' : '▴') : '↕'}
          </span>
        </button>
      ) : (
        column.title
      )}
    </th>
  )
}
