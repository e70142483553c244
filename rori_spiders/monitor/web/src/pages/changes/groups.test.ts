import { expect, test } from 'vitest'
import { countChanges, countPages, countSame, foldChanges, groupChanges } from './groups'
import type { PageChange } from './queries'

function change(change_id: string, at: string, publication: string, importance: PageChange['importance'] = 'low') {
  return { change_id, at, page_id: Number(change_id.split('-')[0]), source_id: 'source', site: 'a.gov', publication, publication_name: publication, importance, sentence: change_id, edit: change_id, together: { changes: 1, pages: 1 } } as PageChange
}

test('changes of one publication stand together whatever their days, the most important first', () => {
  const groups = groupChanges([
    change('1-2', '2026-11-22T12:00:00Z', '12 CFR 1024'),
    change('2-2', '2026-11-22T12:00:00Z', 'run'),
    change('3-2', '2026-11-22T12:00:00Z', '12 CFR 1024', 'high'),
    change('4-2', '2026-11-18T12:00:00Z', '12 CFR 1024'),
  ])
  expect(groups.map((group) => group.changes.map((one) => one.change_id))).toEqual([['3-2', '1-2', '4-2'], ['2-2']])
  expect(groups.map((group) => group.day.includes(' to '))).toEqual([true, false])
})

test('a publication that goes on behind the list is not counted as whole', () => {
  const changes = [change('1-2', '2026-11-22T12:00:00Z', 'a', 'high'), change('2-2', '2026-11-22T12:00:00Z', 'b')]
  expect(groupChanges(changes, 'last').map((group) => group.isCut)).toEqual([false, true])
  expect(groupChanges(changes, 'any').map((group) => group.isCut)).toEqual([true, true])
  expect(groupChanges(changes).map((group) => group.isCut)).toEqual([false, false])
})

test('a publication that goes on behind the list is counted as the ledger knows it', () => {
  const shown = ['1-2', '2-2', '3-2', '4-2'].map((id) => ({ ...change(id, '2026-11-22T12:00:00Z', 'a', 'high'), together: { changes: 16, pages: 14 } }))
  const [cut, whole] = [groupChanges(shown, 'last')[0], groupChanges(shown)[0]]
  expect(cut && [countChanges(cut), countPages(cut), foldChanges(cut).more]).toEqual([16, '14 pages', 'Show 4'])
  expect(whole && [countChanges(whole), countPages(whole), foldChanges(whole).more]).toEqual([4, '4 pages', 'Show all 4'])
})

test('low changes stand behind a line where something matters more', () => {
  const levels = (...all: PageChange['importance'][]) => groupChanges(all.map((level, at) => change(`${at}-2`, '2026-11-22T12:00:00Z', 'a', level)))
  const folded = (...all: PageChange['importance'][]) => levels(...all).map((group) => [foldChanges(group).first.length, foldChanges(group).more])
  expect(folded('low', 'high', 'low')).toEqual([[1, 'Show 2 low changes']])
  expect(folded('medium', 'low')).toEqual([[1, 'Show 1 low change']])
  expect(folded('low', 'low', 'low', 'low')).toEqual([[1, 'Show all 4']])
  expect(folded('high', 'high', 'medium', 'medium', 'low')).toEqual([[3, 'Show all 5']])
  expect(folded('high', 'medium')).toEqual([[2, null]])
})

test('low changes of a site are one entry in the list by importance, and stand by run in the list by time', () => {
  const changes = [change('1-2', '2026-11-22T12:00:00Z', 'a'), change('1-1', '2026-11-20T12:00:00Z', 'b')]
  expect(groupChanges(changes).map((group) => [group.changes.length, group.day.includes(' to ')])).toEqual([[2, true]])
  expect(groupChanges(changes, 'any')).toHaveLength(2)
})

test('the same edit on many pages is one line with a count', () => {
  const same = ['1-2', '2-2', '3-2'].map((id, at) => ({ ...change(id, '2026-11-22T12:00:00Z', 'a', 'high'), edit: 'fee', source_id: `source ${at}` }))
  const group = groupChanges([...same, change('4-2', '2026-11-22T12:00:00Z', 'a', 'high')])[0]
  expect(group && foldChanges(group).first.map((one) => [one.change_id, countSame(group.changes, one)])).toEqual([['1-2', 2], ['4-2', 0]])
  expect(group && foldChanges(group).more).toBe('Show all 4')
  expect(group && countPages(group)).toBe('4 pages of 4 sources')
})

test('a page whose edit differs elsewhere, or is not known word for word, is a line of its own', () => {
  const fee = (id: string, edit: string | null) => ({ ...change(id, '2026-11-22T12:00:00Z', 'a', 'high'), sentence: 'Fee: 5 → 6', edit })
  const group = groupChanges([fee('1-2', 'a'), fee('2-2', 'b'), fee('3-2', null)])[0]
  expect(group && foldChanges(group).first.map((one) => [one.change_id, countSame(group.changes, one)])).toEqual([['1-2', 0], ['2-2', 0], ['3-2', 0]])
})
