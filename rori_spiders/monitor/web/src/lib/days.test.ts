import { expect, test } from 'vitest'
import { startOfDay } from './days'

test('a day begins at midnight where the viewer is', () => {
  expect(startOfDay('2026-11-22')).toBe(new Date(2026, 10, 22).toISOString())
  expect(startOfDay('2026-10-31', 1)).toBe(new Date(2026, 10, 1).toISOString())
})

test.each([undefined, '', 'yesterday', '2026-11', '22-11-2026', '2026-11-22T00:00'])('%j is no day', (text) => {
  expect(startOfDay(text)).toBeNull()
})
