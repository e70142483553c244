import { Cells } from './Cells'
import { Marks, markTexts } from './Marks'
import { describeChange } from './descriptions'
import type { Change } from './types'
import { Words } from './Words'

/** What became of a block, at a glance; the sentence says it in words. */
const TONES: Record<string, string> = {
  inserted: 'border-s-good text-good',
  deleted: 'border-s-bad text-bad',
  moved: 'border-s-warn text-warn',
  moved_away: 'border-s-warn text-warn',
  moved_and_changed: 'border-s-warn text-warn',
  changed: 'border-s-new text-new',
}

/** One block that changed: what became of it, its words, and the figures that matter. */
export function ChangeView({ change, beside }: { change: Change; beside: boolean }) {
  return (
    <div data-change tabIndex={-1} className="scroll-mt-16 border-t px-4 py-3 first:border-t-0 focus:bg-raised">
      <p className={`-ms-4 mb-2 border-s-4 ps-3 text-sm font-medium ${TONES[change.change] ?? 'border-s-line text-quiet'}`}>{describeChange(change)}</p>
      <Body change={change} beside={beside} />
      <Marks marks={change.marks} />
    </div>
  )
}

function Body({ change, beside }: { change: Change; beside: boolean }) {
  const marks = markTexts(change.marks)
  if (change.cells.length) return <Cells cells={change.cells} beside={beside} />
  if (!change.words.length) return null
  if (!beside) return <Words words={change.words} marks={marks} />
  const [has, had] = [change.words.some(([op]) => op !== '-'), change.words.some(([op]) => op !== '+')]
  return (
    <div className="grid grid-cols-2 gap-x-6">
      <div>{had ? <Words words={change.words} marks={marks} side="old" /> : <Nothing />}</div>
      <div>{has ? <Words words={change.words} marks={marks} side="new" /> : <Nothing />}</div>
    </div>
  )
}

function Nothing() {
  return <span className="text-sm text-quiet">(nothing)</span>
}
