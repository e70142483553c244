import { expect, test } from 'vitest'
import { hideEmphasis } from './emphasis'

test.each([
  ['(ii) *Rule for mergers.* When', '(ii) Rule for mergers. When'],
  ['it **may not** do so', 'it may not do so'],
  ['***both***', 'both'],
  ['5 * 3', '5 * 3'],
  ['* item', '* item'],
  ['Total\\* of a_b', 'Total* of a_b'],
  ['**', '**'],
])('emphasis of %s is hidden', (text, shown) => {
  expect(hideEmphasis(text)).toBe(shown)
})
