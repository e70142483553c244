import { expect, test } from 'vitest'
import { folded } from './folding'
import { sideOf, withMarks } from './marked'
import { rowsOf } from './rows'
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

test('a figure in a longer one is another figure', () => {
  const shown = withMarks([['+', 'from $15, 2.5 or 5 days']], ['5'])
  expect(shown.filter((one) => one.marked).map((one) => one.text)).toEqual(['5'])
  expect(shown.map((one) => one.text).join('')).toBe('from $15, 2.5 or 5 days')
})

test('rows of a table are shown as cells, each with what is marked in it', () => {
  const rows = rowsOf(withMarks([['+', '| Check | $15 |\n| a \\| b |  |']], ['$15']))
  expect(rows?.map((cells) => cells.map((pieces) => pieces.map((one) => one.text).join('').trim()))).toEqual([
    ['Check', '$15'],
    ['a \\| b', ''],
  ])
  expect(rows?.[0]?.[1]?.filter((one) => one.marked).map((one) => one.text)).toEqual(['$15'])
})

test('a text, and a row that is of both sides, are no rows', () => {
  expect(rowsOf(withMarks([['=', 'a | b']], []))).toBeNull()
  expect(rowsOf(withMarks([['=', '| '], ['-', 'a | b'], ['+', 'c'], ['=', ' |']], []))).toBeNull()
})

test('in one text of both sides each side has its date marked, whatever stands between', () => {
  const shown = withMarks([['=', 'from '], ['-', 'March'], ['+', 'June'], ['=', ' 1, 2026.']], ['March 1, 2026', 'June 1, 2026'])
  expect(shown.filter((one) => one.marked).map((one) => one.text)).toEqual(['March', 'June', ' 1, 2026'])
})
