/** Part of the adapter contract: bodies that a handler takes as bytes or as a stream, with access, hooks and limits. */
import { describe, expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

const FORMS = {
  'index.ts': code(`
    export class Raw extends Endpoint {
      static body = 'raw'
      static bodyLimit = { PUT: 1_000_000 }
      static keywords = { PUT: Type.Object({ n: Type.Integer({ default: 1 }) }) }
      POST(name, { body, ...rest }) { return [name, [...body], Object.getPrototypeOf(body) === Uint8Array.prototype, this.call.headers, rest] }
      PUT({ n, body }) { return [n, body.length] }
      GET({ body }) { return body.length }
      DELETE() { return 'no body' }
    }
    export class Stream extends Endpoint {
      static body = { POST: 'stream', PUT: 'stream', GET: 'stream' }
      static bodyLimit = { POST: 1_000_000, ANY: 10 }
      static keywords = { POST: Type.Object({ n: Type.Integer() }) }
      async POST({ n, body }) {
        const bytes = []
        for await (const part of body) for (const byte of part) bytes.push(byte)
        return [n, bytes.length, bytes.at(-1) ?? null, this.call.headers['content-type'] ?? null]
      }
      async PUT({ body }) { return this.POST({ body }) }
      async GET({ body }) { return this.POST({ n: 0, body }) }
    }
    export class Parsed extends Endpoint {
      static bodyLimit = 50
      POST({ text }) { return text.length }
    }
    export class Kept extends Endpoint {
      static body = 'raw'
      POST({ body }) {
        const { stage } = this.services
        ;(stage.kept ??= []).push(body)
        return stage.kept.map((each) => String.fromCharCode(...each))
      }
    }`),
}

/** Cases that need no socket. */
export function bodyCases(reach: Reach): void {
  test('raw: bytes of any media type → a Uint8Array, with Content-Type; the query gives the other keywords', async () => {
    const { send } = await reach(FORMS)
    const headers = { 'content-type': 'image/png; charset=latin1' }
    const body = Uint8Array.of(0, 255, 13, 10)
    const answer = await send('POST', '/raw/a?body=x&tag=y', { headers, body })
    expect(answer.json()).toEqual(['a', [0, 255, 13, 10], true, headers, { tag: 'y' }])
    const json = await send('POST', '/raw/a', { body: { tag: 'of the body' } })
    expect((json.json() as unknown[])[4]).toEqual({})
  })

  test('raw: no body → no bytes; a method without the parameter → untouched', async () => {
    const { send } = await reach(FORMS)
    expect((await send('POST', '/raw/a')).json()).toEqual(['a', [], true, {}, {}])
    expect((await send('DELETE', '/raw')).json()).toBe('no body')
  })

  test('raw: kept after the answer → unchanged by later requests', async () => {
    const { send } = await reach(FORMS)
    const body = Buffer.from('first')
    await send('POST', '/kept', { body })
    body.fill('x')
    expect((await send('POST', '/kept', { body: 'other' })).json()).toEqual(['first', 'other'])
  })

  test.each(['raw', 'stream'])('%s: GET and HEAD with a body → the bytes', async (path) => {
    const { send } = await reach(FORMS)
    const answer = await send('GET', `/${path}`, { body: 'abc' })
    expect(answer.json()).toEqual(path === 'raw' ? 3 : [0, 3, 99, null])
    expect((await send('HEAD', `/${path}`, { body: 'abc' })).status).toBe(200)
  })

  test('keywords: an invalid query → 400, and the defaults of the schema apply', async () => {
    const { send } = await reach(FORMS)
    expect((await send('PUT', '/raw?n=2', { body: 'abc' })).json()).toEqual([2, 3])
    expect((await send('PUT', '/raw', { body: 'abc' })).json()).toEqual([1, 3])
    for (const target of ['/raw?n=x', '/stream?n=x', '/stream']) {
      const answer = await send(target.startsWith('/raw') ? 'PUT' : 'POST', target, { body: 'abc' })
      expect([target, answer.status, answer.text()]).toEqual([
        target,
        400,
        expect.stringContaining('Parameter \\"n\\"'),
      ])
    }
  })

  test('limits: by method, else that of the server → 413 beyond them', async () => {
    const { send } = await reach(FORMS, { bodyLimit: 100 })
    const of = (length: number) => ({ headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(length) })
    expect((await send('PUT', '/raw', of(300_000))).json()).toEqual([1, 300_000])
    expect((await send('POST', '/stream?n=1', of(300_000))).json()).toEqual([1, 300_000, 120, 'text/plain'])
    const refused = (limit: number) => ({
      error: 'Payload Too Large',
      message: `The body is larger than ${limit} bytes. Send a smaller one.`,
    })
    expect((await send('POST', '/raw/a', of(101))).json()).toEqual(refused(100))
    expect((await send('PUT', '/raw', of(1_000_001))).json()).toEqual(refused(1_000_000))
    expect((await send('PUT', '/stream', of(11))).json()).toEqual(refused(10))
    expect((await send('POST', '/parsed', { body: { text: 'x'.repeat(39) } })).json()).toBe(39)
    expect((await send('POST', '/parsed', { body: { text: 'x'.repeat(40) } })).json()).toEqual(refused(50))
  })

  test.each(['/raw/a', '/stream?n=1'])('%s: a compressed body → 415', async (target) => {
    const { send, log } = await reach(FORMS)
    const answer = await send('POST', target, { headers: { 'content-encoding': 'gzip' }, body: 'x' })
    expect([answer.status, answer.json()]).toMatchObject([
      415,
      { message: 'A body in content-encoding "gzip" is not accepted. Send it without an encoding.' },
    ])
    const plain = { headers: { 'content-encoding': 'identity' }, body: 'x' }
    expect((await send('POST', target, plain)).status).toBe(200)
    expect(log.lines).toEqual([])
  })

  test('stream: a body → its bytes in order, any media type; no body → no parts', async () => {
    const { send } = await reach(FORMS)
    const headers = { 'content-type': 'application/x-anything' }
    const answer = await send('POST', '/stream?n=1', { headers, body: 'abc' })
    expect(answer.json()).toEqual([1, 3, 99, 'application/x-anything'])
    expect((await send('POST', '/stream?n=1')).json()).toEqual([1, 0, null, null])
  })

  describe('access and hooks', () => {
    const guarded = (before: string) => ({
      '_services.ts': `
        export const open = ({ stage }) => ({ stage })
        export const authenticate = (services, header) => (header ? { id: 'ann', roles: [] } : null)`,
      'a/_folder.ts': `import { Reply } from 'waybill'\n${before}`,
      'a/index.ts': code(`
        export class Raw extends Endpoint { static body = 'raw'; POST({ body }) { return body.length } }
        export class Stream extends Endpoint {
          static body = 'stream'
          async POST({ body }) {
            let length = 0
            for await (const part of body) length += part.length
            return length
          }
        }`),
    })
    const big = { headers: { authorization: 'x' }, body: 'x'.repeat(200_000) }
    const paths = ['/a/raw', '/a/stream']

    test.each(paths)('%s: no token → 401', async (path) => {
      const { send } = await reach(guarded(''))
      expect((await send('POST', path, { body: big.body })).status).toBe(401)
      expect((await send('POST', path, big)).json()).toBe(200_000)
    })

    test.each(paths)('%s: a hook that waits → the whole body after it', async (path) => {
      const { send } = await reach(
        guarded('export const before = async () => { await new Promise(setImmediate) }'),
      )
      expect((await send('POST', path, big)).json()).toBe(200_000)
    })

    test.each(paths)('%s: a hook that ends the request → its reply', async (path) => {
      for (const before of ['() =>', 'async () =>']) {
        const { send } = await reach(guarded(`export const before = ${before} new Reply(202, 'early')`))
        const answer = await send('POST', path, big)
        expect([answer.status, answer.json()]).toEqual([202, 'early'])
      }
    })
  })
}
