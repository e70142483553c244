import { useSyncExternalStore } from 'react'
import { formatHere, formatRelative, formatSeconds, formatTime } from '@/lib/dates'

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

/** A time in UTC, or how far it is away (`relative`); the title has the second, and the time in the viewer's zone. `none` is shown for null. */
export function Time({ at, relative: away = false, none = '–' }: { at: string | null | undefined; relative?: boolean; none?: string }) {
  const now = useNow()
  if (!at) return <span className="text-quiet">{none}</span>
  return (
    <time dateTime={at} title={`${formatSeconds(at)} · ${formatHere(at)}`} className="whitespace-nowrap tabular-nums">
      {away ? formatRelative(at, now) : formatTime(at, now)}
    </time>
  )
}
