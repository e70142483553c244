import { markTexts } from './Marks'
import type { Cell } from './types'
import { Words } from './Words'

const HEAD = 'px-2 py-1.5 text-start font-semibold'
const CELL = 'px-2 py-1.5 align-top'

/** The cells of a table row that changed, one below the other. */
export function Cells({ cells, beside }: { cells: readonly Cell[]; beside: boolean }) {
  return (
    <table className="w-full table-fixed text-sm">
      <caption className="sr-only">Cells that changed</caption>
      <thead>
        <tr className="border-b">
          <th scope="col" className={HEAD}>
            Row
          </th>
          <th scope="col" className={HEAD}>
            Column
          </th>
          {(beside ? ['Before', 'After'] : ['Before and after']).map((title) => (
            <th key={title} scope="col" className={HEAD}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {cells.map((cell, place) => (
          <Row key={place} cell={cell} beside={beside} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ cell, beside }: { cell: Cell; beside: boolean }) {
  const marks = markTexts(cell.marks)
  return (
    <tr className="border-b last:border-0">
      <th scope="row" className={`${CELL} text-start font-normal [overflow-wrap:anywhere]`}>
        {cell.row}
      </th>
      <td className={`${CELL} [overflow-wrap:anywhere]`}>{cell.column}</td>
      {(beside ? (['old', 'new'] as const) : [undefined]).map((side) => (
        <td key={side ?? 'both'} className={CELL}>
          <Words words={cell.words} marks={marks} side={side} />
        </td>
      ))}
    </tr>
  )
}
