import { expect, test } from 'vitest'
import { safeUrl } from './safeUrl'
import { formatSeconds, formatTime, formatDuration, formatRelative } from './dates'

test.each([
  ['https://www.consumerfinance.gov/a', 'https://www.consumerfinance.gov/a'],
  ['HTTP://example.org', 'http://example.org/'],
  ['javascript:alert(1)', null],
  [' java\nscript:alert(1)', null],
  ['data:text/html,<script>alert(1)</script>', null],
  ['vbscript:msgbox', null],
  ['//example.org/a', null],
  ['/errors', null],
  ['', null],
  [null, null],
])('%j as a link is %j', (url, href) => {
  expect(safeUrl(url)).toBe(href)
})

test('times', () => {
  const now = new Date('2026-11-22T12:00:00Z')
  expect(formatTime('2026-11-22T23:30:00Z', now)).toMatch(/22.*UTC$/)
  expect(formatTime('2025-11-22T23:30:00Z', now)).toMatch(/2025.*UTC$/)
  expect(formatSeconds('2026-11-22T09:41:07.123456Z')).toBe('2026-11-22 09:41:07 UTC')
  expect(formatRelative('2026-11-22T11:59:31Z', now)).toBe('now')
  expect(formatRelative('2026-11-22T09:10:00Z', now)).toBe('2 hr. ago')
  expect(formatRelative('2026-11-25T13:00:00Z', now)).toBe('in 3 days')
  expect(formatDuration('2026-11-22T10:00:00Z', '2026-11-22T11:04:10Z')).toBe('1 h 04 min')
  expect(formatDuration('2026-11-22T10:00:00Z', '2026-11-22T10:03:20Z')).toBe('3 min 20 s')
})
