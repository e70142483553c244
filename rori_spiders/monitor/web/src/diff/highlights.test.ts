import { expect, test } from 'vitest'
import { foldText } from './folding'
import { piecesOfSide, highlightMarks } from './highlights'
import { tableRows } from './tableRows'
import type { Piece } from './types'

const WORDS: Piece[] = [
  ['=', 'from '],
  ['-', 'March'],
  ['+', 'June'],
  ['=', ' 1, 2026.'],
]

test('each side has its own words, and all of them', () => {
  expect(piecesOfSide(WORDS, 'old').map(([, text]) => text).join('')).toBe('from March 1, 2026.')
  expect(piecesOfSide(WORDS, 'new').map(([, text]) => text).join('')).toBe('from June 1, 2026.')
})

test('a date that changed is marked as a whole, and no letter is lost', () => {
  const shown = highlightMarks(piecesOfSide(WORDS, 'new'), ['June 1, 2026'])
  expect(shown.filter((one) => one.marked).map((one) => one.text).join('')).toBe('June 1, 2026')
  expect(shown.map((one) => one.text).join('')).toBe('from June 1, 2026.')
})

test('a figure that did not change is not marked', () => {
  expect(highlightMarks([['=', '25 and '], ['+', 'more']], ['25']).some((one) => one.marked)).toBe(false)
})

test('a long stretch is folded between words, and its parts are the whole', () => {
  const text = 'word '.repeat(200)
  const parts = foldText(text)
  expect(parts && parts.head + parts.hidden + parts.tail).toBe(text)
  expect(foldText('short')).toBeNull()
})

test('a figure in a longer one is another figure', () => {
  const shown = highlightMarks([['+', 'from $15, 2.5 or 5 days']], ['5'])
  expect(shown.filter((one) => one.marked).map((one) => one.text)).toEqual(['5'])
  expect(shown.map((one) => one.text).join('')).toBe('from $15, 2.5 or 5 days')
})

test('rows of a table are shown as cells, each with what is marked in it', () => {
  const rows = tableRows(highlightMarks([['+', '| Check | $15 |\n| a \\| b |  |']], ['$15']))
  expect(rows?.map((cells) => cells.map((pieces) => pieces.map((one) => one.text).join('').trim()))).toEqual([
    ['Check', '$15'],
    ['a \\| b', ''],
  ])
  expect(rows?.[0]?.[1]?.filter((one) => one.marked).map((one) => one.text)).toEqual(['$15'])
})

test('a text, and a row that is of both sides, are not rows', () => {
  expect(tableRows(highlightMarks([['=', 'a | b']], []))).toBeNull()
  expect(tableRows(highlightMarks([['=', '| '], ['-', 'a | b'], ['+', 'c'], ['=', ' |']], []))).toBeNull()
})

test('in one text of both sides each side has its date marked, whatever stands between', () => {
  const shown = highlightMarks([['=', 'from '], ['-', 'March'], ['+', 'June'], ['=', ' 1, 2026.']], ['March 1, 2026', 'June 1, 2026'])
  expect(shown.filter((one) => one.marked).map((one) => one.text)).toEqual(['March', 'June', ' 1, 2026'])
})
