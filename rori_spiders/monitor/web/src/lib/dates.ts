/** Times as people read them: in UTC, as in every sentence of the API and in the commands; the language is the browser's. */
const DAY = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const YEAR = { ...DAY, year: 'numeric' } as const
const HERE = new Intl.DateTimeFormat(undefined, { ...YEAR, timeZoneName: 'short' })
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** `2026-11-22 19:41:07 UTC` */
export function formatSeconds(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
}

/** `22 Nov, 19:41 UTC`, with the year when it is another. */
export function formatTime(at: string, now: Date): string {
  const moment = new Date(at)
  const parts = moment.getUTCFullYear() === now.getUTCFullYear() ? DAY : YEAR
  return `${moment.toLocaleString(undefined, { ...parts, timeZone: 'UTC' })} UTC`
}

/** In the viewer's zone, which it names: `22 Nov 2026, 14:41 GMT-5`. */
export function formatHere(at: string): string {
  return HERE.format(new Date(at))
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
