/** The beginning of a day (`2026-11-22`) in UTC, so many days on, as the API takes it; null for no day. */
export function startOfDay(day: string | undefined, on = 0): string | null {
  const [year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []).slice(1).map(Number)
  if (year === undefined || month === undefined || date === undefined) return null
  const moment = new Date(Date.UTC(year, month - 1, date + on))
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString()
}
