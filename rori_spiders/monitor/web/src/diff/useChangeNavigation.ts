import { useEffect, useRef, type RefObject } from 'react'
import { isTyping } from '@/lib/useKeys'

const FORTH = new Set(['j', 'n', ']'])
const BACK = new Set(['k', 'p', '['])

/** Moves the focus to the next or the previous change in *place*; at an end it stays. Says whether it moved. */
export function jumpToChange(place: HTMLElement | null, step: 1 | -1): boolean {
  const all = [...(place?.querySelectorAll<HTMLElement>('[data-change]') ?? [])]
  const here = all.findIndex((one) => one.contains(document.activeElement))
  const next = all[here < 0 && step < 0 ? all.length - 1 : here + step]
  if (!next) return false
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'nearest' })
  return true
}

/** j or n: the next change; k or p: the previous one. Not while something is typed, nor where the keys are *off*. */
export function useChangeNavigation(off: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (off) return
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (FORTH.has(event.key)) jumpToChange(place.current, 1)
      else if (BACK.has(event.key)) jumpToChange(place.current, -1)
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [off])
  return place
}
