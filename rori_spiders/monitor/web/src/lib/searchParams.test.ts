import { expect, test } from 'vitest'
import { keepParams, parseSearch, stringifySearch } from './searchParams'

test('an address reads as it was typed, and numbers stay text', () => {
  expect(stringifySearch({ status: 'failed', q: '123', sort: undefined, order: '' })).toBe('?status=failed&q=123')
  expect(parseSearch('?status=failed&q=123&order=')).toEqual({ status: 'failed', q: '123' })
  expect(stringifySearch({})).toBe('')
})

test('a text survives the address whole', () => {
  const q = '§ 1024.5(d) "a&b" 100% ü'
  expect(parseSearch(stringifySearch({ q }))).toEqual({ q })
})

test('names that a screen does not know are dropped', () => {
  expect(keepParams('q')({ q: 'a', token: 'b' })).toEqual({ q: 'a' })
})
