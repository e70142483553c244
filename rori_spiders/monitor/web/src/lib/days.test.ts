import { expect, test } from 'vitest'
import { startOfDay } from './days'

test('a day begins at midnight in UTC', () => {
  expect(startOfDay('2026-11-22')).toBe('2026-11-22T00:00:00.000Z')
  expect(startOfDay('2026-10-31', 1)).toBe('2026-11-01T00:00:00.000Z')
})

test.each([undefined, '', 'yesterday', '2026-11', '22-11-2026', '2026-11-22T00:00'])('%j is not a day', (text) => {
  expect(startOfDay(text)).toBeNull()
})
