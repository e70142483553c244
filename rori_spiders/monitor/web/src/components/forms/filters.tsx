import { useEffect, useId, useState, type ReactNode } from 'react'

const CONTROL = 'min-h-8 w-full rounded-md border border-edge bg-card px-2 py-1 text-sm'

/** One of a few words, or all. `options` are the API's words, with a count where one is known. */
export function Select({ label, value, options, all = 'All', pick }: { label: string; value: string | undefined; options: readonly (string | [word: string, shown: string])[]; all?: string; pick: (value: string | undefined) => void }) {
  const id = useId() // a label around it would be named by its options too
  return (
    <div className="grid gap-0.5 text-xs font-medium text-quiet">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value ?? ''} onChange={(event) => pick(event.target.value || undefined)} className={`${CONTROL} text-ink`}>
        <option value="">{all}</option>
        {options.map((option) => {
          const [word, shown] = typeof option === 'string' ? [option, option] : option
          return (
            <option key={word} value={word}>
              {shown}
            </option>
          )
        })}
      </select>
    </div>
  )
}

/** Text to search for; reported a third of a second after the last key, or at Enter. */
export function SearchBox({ label, value, find, hint, narrow }: { label: string; value: string | undefined; find: (text: string | undefined) => void; hint?: string; narrow?: boolean }) {
  const id = useId()
  const [text, setText] = useState(value ?? '')
  const [before, setBefore] = useState(value)
  if (value !== before) {
    // The address changed by the browser's Back, or by "Clear": the box follows it.
    setBefore(value)
    setText(value ?? '')
  }
  useEffect(() => {
    if (text === (value ?? '')) return
    const timer = setTimeout(() => find(text || undefined), 350)
    return () => clearTimeout(timer)
  }, [text, value, find])
  return (
    <div className={`grid gap-0.5 text-xs font-medium text-quiet ${narrow ? 'md:w-24' : ''}`}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder={hint}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && find(text || undefined)}
        className={`${CONTROL} text-ink`}
      />
    </div>
  )
}

const BESIDE = 'grid grid-cols-2 gap-2 md:flex md:flex-wrap md:items-end'

/** A filter that holds, in words. */
export interface FilterChip {
  words: string
  remove: () => void
  hasControl: boolean
}

/** Filters beside each other, two in a row on a phone; how many are set, and a way to clear them. *more* are those that
 * few people need: they are open once one of them is set. *folded*: on a phone all of them stand behind the button, and
 * *chips* say which hold; one without a control of its own is shown on a desk, too. */
export function FilterBar({ set, clear, children, more, chips = [], isMoreSet = false, folded = false }: { set: number; clear: () => void; children: ReactNode; more?: ReactNode; chips?: readonly FilterChip[]; isMoreSet?: boolean; folded?: boolean }) {
  const [isOpen, setOpen] = useState(isMoreSet)
  return (
    <search className="mb-3 block">
      <div className={folded && !isOpen ? 'flex flex-wrap items-end justify-end gap-2 md:justify-start' : BESIDE}>
        <div className={folded && !isOpen ? 'max-md:hidden md:contents' : 'contents'}>{children}</div>
        {more && (
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className="min-h-8 rounded-md px-2 text-start text-sm text-accent underline">
            {folded && <span className="md:hidden">{isOpen ? 'Hide filters' : 'Filters'}</span>}
            <span className={folded ? 'max-md:hidden' : ''}>{isOpen ? 'Fewer filters' : 'More filters'}</span>
          </button>
        )}
        {chips.map(({ words, remove, hasControl }) => (
          <button key={words} type="button" aria-label={`Remove filter: ${words}`} onClick={remove} className={`min-h-8 max-w-full truncate rounded-full border border-edge bg-card px-3 text-sm text-ink ${hasControl ? (isOpen ? 'hidden' : 'md:hidden') : ''}`}>
            {words} <span aria-hidden>×</span>
          </button>
        ))}
        {set > 0 && (
          <button type="button" onClick={clear} className="min-h-8 rounded-md px-2 text-start text-sm text-accent underline">
            Clear {set === 1 ? 'filter' : `${set} filters`}
          </button>
        )}
      </div>
      {isOpen && <div className={`mt-2 ${BESIDE}`}>{more}</div>}
    </search>
  )
}

/** A day in UTC, as `2026-11-22`. */
export function DateInput({ label, value, pick }: { label: string; value: string | undefined; pick: (day: string | undefined) => void }) {
  return (
    <label className="grid gap-0.5 text-xs font-medium text-quiet">
      {label}
      <input type="date" value={value ?? ''} onChange={(event) => pick(event.target.value || undefined)} className={`${CONTROL} text-ink`} />
    </label>
  )
}
