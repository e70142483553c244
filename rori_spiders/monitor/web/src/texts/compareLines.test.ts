import { expect, test } from 'vitest'
import { compareLines, foldStretches } from './compareLines'

const before = Array.from({ length: 40 }, (_, line) => `line ${line}`)
const after = before.with(20, 'another')

test('lines are numbered on their own side, and none is lost', () => {
  const lines = compareLines(before.join('\n'), after.join('\n')) ?? []
  expect(lines.filter((line) => line.op !== '+').map((line) => line.text)).toEqual(before)
  expect(lines.filter((line) => line.op !== '-').map((line) => line.text)).toEqual(after)
  expect(lines.find((line) => line.op === '+')).toEqual({ op: '+', text: 'another', old: null, new: 21 })
})

test('what is far from a change is folded', () => {
  const parts = foldStretches(compareLines(before.join('\n'), after.join('\n')) ?? [])
  expect(parts.map((part) => part.folded)).toEqual([true, false, true])
})
