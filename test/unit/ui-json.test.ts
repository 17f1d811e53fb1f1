/** JSON as text in the admin page, compared with the parser of the language. */
import { expect, test } from 'vitest'
import { partsOf, problemIn, setOut, withDataText } from '../../src/ui/state/json.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'

const SAMPLES = [
  '{}',
  '{"a":1.0,"b":[1,{"c":[]},"x\\"y\\u0041"],"d":{},"e":null}',
  ' { "big" : 12345678901234567890 , "no" : -0.5e+10,\n"text":"{[,:]}" } ',
  '{"nested":{"nested":{"list":[[[true,false]]]}},"":""}',
]
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  ' ',
  '\n',
  '\u00a0',
  '0',
  '1',
  '-',
  '.',
  'e',
  'true',
  'x',
]

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

test('problemIn: random changes of samples → a problem exactly if the parser finds no object', () => {
  const random = seeded(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let sound = 0
  const turns = runs(4_000)
  for (let turn = 0; turn < turns; turn++) {
    const sample = pick(SAMPLES)
    const at = Math.floor(random() * (sample.length + 1))
    const text = sample.slice(0, at) + pick(PIECES) + sample.slice(at + Math.floor(random() * 2))
    expect([text, problemIn(text) === null]).toEqual([text, isObject(text)])
    if (isObject(text)) sound++
  }
  expect(sound).toBeGreaterThan(turns / 20)
})

test('setOut: samples → only space changes', () => {
  for (const sample of SAMPLES) {
    expect(JSON.parse(setOut(sample))).toEqual(JSON.parse(sample))
    expect(setOut(setOut(sample))).toBe(setOut(sample))
  }
  expect(setOut('{"a":1.0,"b":12345678901234567890}')).toBe('{\n  "a": 1.0,\n  "b": 12345678901234567890\n}')
})

test('partsOf, withDataText: objects and lists → the texts of their parts', () => {
  expect(partsOf('{"a":1.0,"b\\n": {"c" : [1,2]},"d":"},"}')).toEqual([
    ['a', '1.0'],
    ['b\n', '{"c" : [1,2]}'],
    ['d', '"},"'],
  ])
  expect(partsOf('[1.0,{"a":[]},"],["]').map(([, text]) => text)).toEqual(['1.0', '{"a":[]}', '"],["'])
  expect([partsOf('{}'), partsOf('[]')]).toEqual([[], []])
  expect(withDataText('{"id":1,"data":{"data":2.0}}')).toEqual({ id: 1, data: '{"data":2.0}' })
})
