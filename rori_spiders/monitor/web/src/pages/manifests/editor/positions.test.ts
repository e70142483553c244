import { expect, test } from 'vitest'
import { lineStart, nameOf, nextLine, yamlEnding } from './positions'

test('where a line begins', () => {
  expect([1, 2, 3, 9].map((line) => lineStart('a\nbc\nd', line))).toEqual([0, 2, 5, 5])
})

test('from one marked line to the next, round at the ends', () => {
  const marked = new Set([12, 3, 7])
  expect([nextLine(marked, 3, 1), nextLine(marked, 12, 1), nextLine(marked, 3, -1), nextLine(marked, 8, -1)]).toEqual([7, 3, 12, 7])
})

test('a manifest is called as its file, without folder and ending', () => {
  expect(['C:\\a\\regs.YAML', '/x/regs.json', 'regs'].map(nameOf)).toEqual(['regs', 'regs', 'regs'])
  expect(['a.YAML', 'a.yml', 'a.json', 'yaml'].map(yamlEnding)).toEqual(['.YAML', '.yml', '', ''])
})
