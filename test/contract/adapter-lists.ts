/** Part of the adapter contract: lists in one value, separated by commas. */
import { expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

const FILES = {
  'index.ts': code(`
    const List = Type.Array(Type.Integer(), { comma: true })
    const members = {
      l: Type.Optional(List),
      maybe: Maybe(List),
      least: Type.Array(Text(), { comma: true, minItems: 1, default: ['none'] }),
      plain: Type.Optional(Type.Array(Text())),
    }
    export class Lists extends Endpoint {
      static positionals = { GET: [List] }
      static keywords = { GET: Type.Object(members), POST: Type.Object(members) }
      GET(path, { ...all }) { return { path, ...all } }
      POST({ ...all }) { return all }
    }`),
}
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=cut' }

export function listCases(reach: Reach): void {
  test.each<[string, object]>([
    ['l=1,2,3', { l: [1, 2, 3] }],
    ['l=1', { l: [1] }],
    ['l=', { l: [] }],
    ['l=1%2C-2', { l: [1, -2] }],
    ['l=1,2&l=3', { l: [1, 2, 3] }],
    ['maybe=4,5', { maybe: [4, 5] }],
    ['least=a,,b', { least: ['a', '', 'b'] }],
    ['least=', {}],
    ['plain=a,b', { plain: ['a,b'] }],
  ])('list with commas: %s in a query and in forms → its items', async (text, expected) => {
    const { send } = await reach(FILES)
    const whole = { least: ['none'], ...expected }
    expect((await send('GET', `/lists/7?${text}`)).json()).toEqual({ path: [7], ...whole })
    expect((await send('POST', '/lists', { headers: FORM, body: text })).json()).toEqual(whole)
    const parts = [...new URLSearchParams(text)].map(
      ([name, value]) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const body = `${parts.join('')}--cut--\r\n`
    expect((await send('POST', '/lists', { headers: MULTIPART, body })).json()).toEqual(whole)
  })

  test('list with commas: in the path → its items', async () => {
    const { send } = await reach(FILES)
    expect((await send('GET', '/lists/1,2,3')).json()).toMatchObject({ path: [1, 2, 3] })
  })

  test.each([
    ['/lists/1?l=1,x', 'Parameter "l.1" is not valid: expected an integer.'],
    ['/lists/1?l=1,,2', 'Parameter "l.1" is not valid: expected an integer.'],
    ['/lists/1?l=,', 'Parameter "l.0" is not valid: expected an integer.'],
    ['/lists/1,x', '"path" in the path is not valid: expected a list, each item an integer.'],
  ])('list with commas: %s → 400: %s', async (target, message) => {
    const { send, log } = await reach(FILES)
    const answer = await send('GET', target)
    expect([answer.status, answer.json()]).toEqual([400, { error: 'Bad Request', message }])
    expect(log.lines).toEqual([])
  })

  test('list with commas: in JSON → a list; a text is refused', async () => {
    const { send } = await reach(FILES)
    expect((await send('POST', '/lists', { body: { l: [1, 2] } })).json()).toEqual({
      l: [1, 2],
      least: ['none'],
    })
    expect((await send('POST', '/lists', { body: { l: '1,2' } })).status).toBe(400)
  })
}
