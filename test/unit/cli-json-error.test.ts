/** The place where a text stops being JSON. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonErrorAt } from '../../src/cli/json-error.ts'

test.each([
  ['', 0],
  ['  ', 2],
  ['{', 1],
  ['{"a":1', 6],
  ['{"a":1}}', 7],
  ['{"a" 1}', 5],
  ['{"a":1,}', 7],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{"a":tru}', 5],
  ['{"a":01}', 5],
  ['{"a":"x', 5],
  ['{"a":"\\x"}', 5],
  ['{"a":1}\n{"b":2}', 8],
  ['{"a":[1,{"b":"]"}}', 17],
])('%j → index %d', (text, index) => {
  expect(jsonErrorAt(text)).toBe(index)
})

test('JSON with one bracket too many → its index', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(jsonErrorAt(`${text}}`)).toBe(text.length)
    }),
  )
})
