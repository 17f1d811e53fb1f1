/** Part of the adapter contract: values of a handler without an encoding in JSON or UTF-8. */
import { expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

export function valueCases(reach: Reach): void {
  test('a value: JSON cannot carry it → 500, logged', async () => {
    const { send, log } = await reach({
      'index.ts': code('export class Value extends Endpoint { GET() { return () => 1 } }'),
    })
    expect((await send('GET', '/value')).status).toBe(500)
    expect(log.lines).toHaveLength(1)
  })

  test.each([
    ['new Map([[1, 2]])', 'returned a Map, which JSON would lose. Return Object.fromEntries(map)'],
    ['new Set([1])', 'returned a Set, which JSON would lose. Return [...set]'],
    ["new Error('secret')", 'returned an Error. Throw it'],
    ["new HttpError(409, 'Taken.')", 'returned an HttpError. Throw it'],
    [
      "new Response('text')",
      'returned a Response, which JSON would lose. Return a Reply with its status and its bytes',
    ],
    ["new Blob(['text'])", 'returned a Blob, which JSON would lose. Return its bytes'],
    [
      'new Headers({ a: 1 })',
      'returned a Headers, which JSON would lose. Return Object.fromEntries(headers)',
    ],
  ])('a value that JSON would lose: %s → 500, logged with what to return', async (value, text) => {
    const { send, log } = await reach({
      'index.ts': code(`export class Value extends Endpoint { GET() { return ${value} } }
        export class Inside extends Endpoint { GET() { return new Reply(200, ${value}) } }`),
    })
    for (const path of ['/value', '/inside']) {
      const answer = await send('GET', path)
      expect([answer.status, answer.text().includes('secret')]).toEqual([500, false])
    }
    expect(log.lines.map(({ fields }) => String(fields.err))).toEqual(
      Array(2).fill(expect.stringContaining(text)),
    )
  })

  test('a value with toJSON → what it returns, even of a Map', async () => {
    const { send } = await reach({
      'index.ts': code(`class Stock extends Map { toJSON() { return [...this] } }
        export class Value extends Endpoint { GET() { return new Stock([['a', 1]]) } }
        export class Moment extends Endpoint { GET() { return new Date(0) } }`),
    })
    expect((await send('GET', '/value')).json()).toEqual([['a', 1]])
    expect((await send('GET', '/moment')).json()).toBe('1970-01-01T00:00:00.000Z')
  })

  test('a text with half a surrogate pair → sent as U+FFFD, alone and in a stream', async () => {
    const { send } = await reach({
      'index.ts': code(String.raw`export class Page_html extends Endpoint { GET() { return '<p>\ud83d' } }
        export class Raw extends Endpoint { GET() { return new RawJson('"\udca7"') } }
        export class Stream extends Endpoint { async *GET() { yield 'a\ud83d'; yield 'b' } }`),
    })
    for (const [path, text] of [
      ['/page.html', '<p>\ufffd'],
      ['/raw', '"\ufffd"'],
      ['/stream', 'a\ufffdb'],
    ] as const) {
      const { bytes } = await send('GET', path)
      expect(Buffer.from(bytes).toString('hex')).toBe(Buffer.from(text).toString('hex'))
    }
  })
}
