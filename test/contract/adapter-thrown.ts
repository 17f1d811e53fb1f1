/** Part of the adapter contract: what a handler throws, and members of JSON with a meaning of their own. */
import { describe, expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

export function thrownCases(reach: Reach): void {
  test.each([
    ['undefined', 'undefined was thrown'],
    ['null', 'null was thrown'],
    ["'secret'", "'secret' was thrown"],
  ])('throw %s → 500, logged with the file, the class and the method', async (thrown, text) => {
    const { send, log } = await reach({
      'index.ts': code(`export class Value extends Endpoint { GET() { throw ${thrown} } }
        export class Later extends Endpoint { async GET() { throw ${thrown} } }`),
    })
    for (const path of ['/value', '/later']) {
      const answer = await send('GET', path)
      expect([answer.status, answer.text().includes('secret')]).toEqual([500, false])
    }
    const [first, second] = log.lines.map(({ fields }) => String(fields.err))
    expect(first).toMatch(/index\.ts: class Value, GET: /)
    expect(second).toMatch(/index\.ts: class Later, GET: /)
    expect([first, second]).toEqual([expect.stringContaining(text), expect.stringContaining(text)])
  })

  test('throw undefined in a class with rules → the same', async () => {
    const { send, log } = await reach({
      'index.ts': code(`export class Value extends Endpoint {
        static cors = { origins: '*' }
        GET() { throw undefined }
      }`),
    })
    expect((await send('GET', '/value')).status).toBe(500)
    expect(String(log.lines[0]?.fields.err)).toContain('class Value, GET: undefined was thrown')
  })

  test.each([200, 302, 600, 404.5])(
    'new HttpError(%s) → 500, logged with the statuses it may have',
    async (status) => {
      const { send, log } = await reach({
        'index.ts': code(
          `export class Value extends Endpoint { GET() { throw new HttpError(${status}, 'secret') } }`,
        ),
      })
      const answer = await send('GET', '/value')
      expect([answer.status, answer.text().includes('secret')]).toEqual([500, false])
      expect(String(log.lines[0]?.fields.err)).toContain(
        `An HttpError has status ${status}; it must be an integer of 400 to 599.`,
      )
    },
  )

  test('Headers as the headers of a Reply, of `with` and of an HttpError → sent, each cookie in its own line', async () => {
    const { send } = await reach({
      'index.ts': code(`
        const given = () => { const headers = new Headers({ 'X-Kind': 'a' }); headers.append('set-cookie', 'a=1'); headers.append('set-cookie', 'b=2'); return headers }
        export class Replied extends Endpoint { GET() { return new Reply(201, 'x', { headers: given() }) } }
        export class With extends Endpoint { GET() { return new Reply(201, 'x', { headers: { 'x-kind': 'z' } }).with(given()) } }
        export class Thrown extends Endpoint { GET() { throw new HttpError(409, 'Taken.', { headers: given() }) } }
        export class Ruled extends Endpoint {
          static cors = { origins: '*' }
          GET() { throw new HttpError(409, 'Taken.', { headers: given() }) }
        }`),
    })
    for (const path of ['/replied', '/with', '/thrown', '/ruled']) {
      const answer = await send('GET', path)
      expect([path, answer.headers['x-kind'], answer.headers['set-cookie']]).toEqual([path, 'a', 'a=1, b=2'])
    }
  })

  describe('a member __proto__ of a JSON body', () => {
    const tree = {
      'index.ts': code(`
        export class Open extends Endpoint { POST({ a, ...rest }) { return { a, rest } } }
        export class Kept extends Endpoint {
          static keywords = { POST: Type.Object({ a: RawJsonObject() }) }
          POST({ a }) { return a }
        }`),
    }

    test.each([
      ['at the top', '{"a":1,"__proto__":{"admin":true}}'],
      ['deep', '{"a":[{"b":{"__proto__":null}}]}'],
      ['spelt with an escape', String.raw`{"a":{"\u005f_proto__":1}}`],
    ])('%s → 400 that names it', async (_, body) => {
      const { send } = await reach(tree)
      const answer = await send('POST', '/open', { headers: { 'content-type': 'application/json' }, body })
      expect(answer.status).toBe(400)
      expect(answer.json()).toMatchObject({ message: expect.stringContaining('"__proto__"') })
    })

    test('in a value, or beside the members of a schema → accepted', async () => {
      const { send } = await reach(tree)
      const headers = { 'content-type': 'application/json' }
      const value = await send('POST', '/open', { headers, body: '{"a":"__proto__"}' })
      expect(value.json()).toEqual({ a: '__proto__', rest: {} })
      const raw = await send('POST', '/kept', { headers, body: '{"a":{"__proto__":1},"__proto__":2}' })
      expect(raw.text()).toBe('{"__proto__":1}')
    })
  })

  test('a malformed path of a class with CORS → 400 with the headers of its rule', async () => {
    const { send } = await reach({
      'index.ts': code(`export class Notes extends Endpoint {
        static cors = { origins: ['https://app.example'] }
        GET(id) { return id }
      }`),
    })
    const answer = await send('GET', '/notes/100%', { headers: { origin: 'https://app.example' } })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      400,
      'https://app.example',
    ])
    const other = await send('GET', '/notes/100%', { headers: { origin: 'https://evil.example' } })
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([400, undefined])
  })
}
