import { useEffect, useRef } from 'react'

/** What each key does while nothing is typed and no dialog is open; undefined: nothing now. */
export type Keys = Record<string, (() => void) | undefined>

export function useKeys(keys: Keys): void {
  const now = useRef(keys)
  useEffect(() => {
    now.current = keys
  })
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const does = now.current[event.key]
      if (!does || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      does()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

/** Whether keys belong to what has the focus, or to a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null
}
