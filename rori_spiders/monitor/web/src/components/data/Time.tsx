import { useSyncExternalStore } from 'react'
import { formatUtc, formatLocal, formatRelative } from '@/lib/dates'

let minute = new Date()
const listeners = new Set<() => void>()

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

setInterval(() => {
  minute = new Date()
  for (const listener of listeners) listener()
}, 30_000)

/** This moment, renewed twice a minute. */
export function useNow(): Date {
  return useSyncExternalStore(listen, () => minute)
}

/** A time in the viewer's zone, or how far it is away (`relative`); UTC stands in the title. `none` is shown for null. */
export function Time({ at, relative: away = false, none = '–' }: { at: string | null | undefined; relative?: boolean; none?: string }) {
  const now = useNow()
  if (!at) return <span className="text-quiet">{none}</span>
  const here = formatLocal(at, now)
  return (
    <time dateTime={at} title={away ? `${here} · ${formatUtc(at)}` : formatUtc(at)} className="whitespace-nowrap tabular-nums">
      {away ? formatRelative(at, now) : here}
    </time>
  )
}
