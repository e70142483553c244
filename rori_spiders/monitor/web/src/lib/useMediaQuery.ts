import { useSyncExternalStore } from 'react'

const WIDE = matchMedia('(width >= 48rem)')

function listen(listener: () => void): () => void {
  WIDE.addEventListener('change', listener)
  return () => WIDE.removeEventListener('change', listener)
}

/** Whether two columns of text fit beside each other. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(listen, () => WIDE.matches)
}
