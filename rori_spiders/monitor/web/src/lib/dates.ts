/** Times as people read them. The API gives ISO 8601 in UTC; the viewer's zone and language are the browser's. */
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' })
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** `2026-11-22 19:41:07 UTC` */
export function formatUtc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
}

/** In the viewer's zone, with the year when it is another. */
export function formatLocal(at: string, now: Date): string {
  const moment = new Date(at)
  return (moment.getFullYear() === now.getFullYear() ? DAY : YEAR).format(moment)
}

/** `3 hr. ago`, `in 2 days`, `now` within a minute. */
export function formatRelative(at: string, now: Date): string {
  const away = new Date(at).getTime() - now.getTime()
  const step = STEPS.find(([, length]) => Math.abs(away) >= length)
  return step ? RELATIVE.format(Math.trunc(away / step[1]), step[0]) : 'now'
}

/** `1 h 04 min`, `3 min 20 s`, `12 s` */
export function formatDuration(from: string, until: string): string {
  const seconds = Math.max(0, Math.round((new Date(until).getTime() - new Date(from).getTime()) / 1000))
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (hours) return `${hours} h ${String(minutes).padStart(2, '0')} min`
  return minutes ? `${minutes} min ${rest} s` : `${rest} s`
}
