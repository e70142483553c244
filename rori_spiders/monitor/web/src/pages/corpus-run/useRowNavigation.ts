import { useCallback, useEffect, useRef, type RefObject } from 'react'

type Going = { frame: RefObject<HTMLDivElement | null>; at: () => number; go: (step: 1 | -1) => void }

/** Moves the focus through the `[data-row]` of a frame. Where the row with the focus leaves *rows*, the next one takes it. */
export function useRowNavigation(rows: readonly unknown[]): Going {
  const frame = useRef<HTMLDivElement>(null)
  const last = useRef(-1)
  const links = useCallback(() => [...(frame.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])], [])
  const at = useCallback(() => links().findIndex((one) => one === document.activeElement), [links])
  const go = useCallback(
    (step: 1 | -1) => {
      const all = links()
      all[Math.min(Math.max(at() + step, 0), all.length - 1)]?.focus()
    },
    [links, at],
  )
  useEffect(() => {
    const focused = () => {
      // What takes the focus from a row for a moment, a dialog, gives it back.
      if (!document.querySelector('dialog[open]')) last.current = at()
    }
    document.addEventListener('focusin', focused)
    return () => document.removeEventListener('focusin', focused)
  }, [at])
  useEffect(() => {
    if (last.current < 0 || document.activeElement !== document.body) return
    const all = links()
    all[Math.min(last.current, all.length - 1)]?.focus()
  }, [rows, links])
  return { frame, at, go }
}
