import { Badge, type Tone } from '@/components/feedback/Badge'
import { Button } from '@/components/forms/Button'
import { useWideScreen } from '@/lib/useMediaQuery'
import { ChangeView } from './ChangeView'
import { jumpToChange, useChangeNavigation } from './useChangeNavigation'
import { readablePath, describeSection } from './descriptions'
import type { SectionChange } from './types'

const TONES: Record<string, Tone> = { added: 'good', removed: 'bad', moved: 'warn', changed: 'new' }

/** All that differs between two versions, section by section: beside each other where there is room, else in one text.
 * *inList*: it stands in a list that has the keys. */
export function DifferenceView({ sections, summary, notes, inList = false }: { sections: readonly SectionChange[]; summary: string; notes: readonly string[]; inList?: boolean }) {
  const beside = useWideScreen()
  const place = useChangeNavigation(inList)
  return (
    <div ref={place}>
      <p className="font-medium">{summary}</p>
      {notes.map((note) => (
        <p key={note} className="mt-1 text-sm text-quiet [overflow-wrap:anywhere]">
          {note}
        </p>
      ))}
      {sections.length > 0 && !inList && <Jumps forth={() => jumpToChange(place.current, 1)} back={() => jumpToChange(place.current, -1)} />}
      {sections.map((section, number) => (
        <Section key={number} section={section} beside={beside} />
      ))}
    </div>
  )
}

function Jumps({ forth, back }: { forth: () => void; back: () => void }) {
  return (
    <div className="sticky top-0 z-10 my-3 flex flex-wrap items-center gap-2 bg-paper py-2">
      <Button onClick={back}>Previous change</Button>
      <Button onClick={forth}>Next change</Button>
      <span className="text-sm text-quiet max-md:hidden">
        Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous
      </span>
    </div>
  )
}

function Section({ section, beside }: { section: SectionChange; beside: boolean }) {
  const [changes, many] = [section.changes, section.changes.length]
  return (
    <section className="mb-4 rounded-lg border bg-card">
      <div className="border-b bg-raised px-4 py-2">
        <h3 className="font-semibold [overflow-wrap:anywhere]">
          {readablePath(section.path)} <Badge tone={TONES[section.change] ?? 'idle'}>{section.change}</Badge>
        </h3>
        {describeSection(section).map((said) => (
          <p key={said} className="text-sm text-quiet [overflow-wrap:anywhere]">
            {said}
          </p>
        ))}
        {beside && many > 0 && (
          <div aria-hidden="true" className="mt-1 grid grid-cols-2 gap-x-6 text-xs text-quiet">
            <span>Before</span>
            <span>After</span>
          </div>
        )}
      </div>
      {changes.map((change, number) => (
        <ChangeView key={number} change={change} beside={beside} />
      ))}
      {many === 0 && (
        <p data-change tabIndex={-1} className="px-4 py-3 text-sm text-quiet focus:bg-raised">
          Text unchanged.
        </p>
      )}
    </section>
  )
}
