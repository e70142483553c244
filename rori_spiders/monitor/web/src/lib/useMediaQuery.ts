import { useSyncExternalStore } from 'react'

const WIDE = matchMedia('(width >= 48rem)')

function listen(told: () => void): () => void {
  WIDE.addEventListener('change', told)
  return () => WIDE.removeEventListener('change', told)
}

/** Whether two columns of text fit beside each other. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(listen, () => WIDE.matches)
}
