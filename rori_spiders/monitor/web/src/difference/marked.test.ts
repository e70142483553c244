import { expect, test } from 'vitest'
import { folded } from './folding'
import { sideOf, withMarks } from './marked'
import type { Piece } from './shapes'

const WORDS: Piece[] = [
  ['=', 'from '],
  ['-', 'March'],
  ['+', 'June'],
  ['=', ' 1, 2026.'],
]

test('each side has its own words, and all of them', () => {
  expect(sideOf(WORDS, 'old').map(([, text]) => text).join('')).toBe('from March 1, 2026.')
  expect(sideOf(WORDS, 'new').map(([, text]) => text).join('')).toBe('from June 1, 2026.')
})

test('a date that changed is marked as a whole, and no letter is lost', () => {
  const shown = withMarks(sideOf(WORDS, 'new'), ['June 1, 2026'])
  expect(shown.filter((one) => one.marked).map((one) => one.text).join('')).toBe('June 1, 2026')
  expect(shown.map((one) => one.text).join('')).toBe('from June 1, 2026.')
})

test('a figure that did not change is not marked', () => {
  expect(withMarks([['=', '25 and '], ['+', 'more']], ['25']).some((one) => one.marked)).toBe(false)
})

test('a long stretch is folded between words, and its parts are the whole', () => {
  const text = 'word '.repeat(200)
  const parts = folded(text)
  expect(parts && parts.head + parts.hidden + parts.tail).toBe(text)
  expect(folded('short')).toBeNull()
})
