/** Part of the adapter contract: access by verb, hooks of folders, CORS, rate limits and caches. */
import { describe, expect, test } from 'vitest'
import { code } from '../_support/trees.ts'
import type { Reach } from './adapter.ts'

/** An authenticator that believes `Bearer NAME ROLE…`. */
const GUARD = `
  export const open = ({ stage }) => ({ stage, calls: [] })
  export function authenticate(services, authorization) {
    const [scheme, id, ...roles] = (authorization ?? '').split(' ')
    return scheme === 'Bearer' && id ? { id, roles } : null
  }`

const as = (who: string) => ({ headers: { authorization: `Bearer ${who}` } })

export function ruleCases(reach: Reach): void {
  describe('access by verb', () => {
    const files = {
      '_services.ts': GUARD,
      'jobs.ts': code(`export class Default extends Endpoint {
        static access = { GET: ['MAN', 'READER'], POST: 'MAN', ANY: 'any' }
        GET() { return 'read' }
        POST() { return 'written' }
        PUT() { return 'put' }
      }`),
    }
    test.each([
      ['GET', 'ann MAN', 200],
      ['GET', 'ann READER', 200],
      ['GET', 'ann', 403],
      ['HEAD', 'ann READER', 200],
      ['HEAD', 'ann', 403],
      ['POST', 'ann READER', 403],
      ['POST', 'ann MAN', 200],
      ['PUT', 'ann', 200],
      ['DELETE', 'ann', 405],
    ])('%s as %s → %i', async (method, who, status) => {
      const { send } = await reach(files)
      expect((await send(method, '/jobs', as(who))).status).toBe(status)
    })

    test('no token: any verb → 401; OPTIONS → 204', async () => {
      const { send } = await reach(files)
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        expect([method, (await send(method, '/jobs')).status]).toEqual([method, 401])
      }
      expect((await send('OPTIONS', '/jobs')).status).toBe(204)
    })

    test('a list of roles and none of them: 403 → names the roles', async () => {
      const { send } = await reach(files)
      expect((await send('GET', '/jobs', as('ann'))).json()).toMatchObject({
        message: 'One of the roles MAN, READER is required. Use the token of a client that has it.',
      })
    })
  })

  describe('folders', () => {
    const HOOKS = (name: string) => `
      import { Reply } from 'waybill'
      export const headers = ['x-${name}']
      export function before(call, { calls }) { (call.state.seen ??= []).push('before ${name}') }
      export function after(call, reply) {
        return reply.with({ 'x-after': (reply.options.headers?.['x-after'] ?? '') + '<${name}' })
      }`
    const nested = {
      '_services.ts': GUARD,
      '_folder.ts': HOOKS('outer'),
      'a/_folder.ts': HOOKS('middle'),
      'a/b/_folder.ts': HOOKS('inner'),
      'a/b/c.ts': code(`export class Default extends Endpoint {
        static access = 'public'
        static headers = ['x-own']
        GET() { return [this.call.state.seen, Object.keys(this.call.headers)] }
        PUT() { throw new HttpError(409, 'no') }
        POST() {}
      }`),
    }

    test('hooks over three levels: before → outermost first, after → innermost first', async () => {
      const { send } = await reach(nested)
      const answer = await send('GET', '/a/b/c')
      expect(answer.json()).toEqual([
        ['before outer', 'before middle', 'before inner'],
        ['x-own', 'x-inner', 'x-middle', 'x-outer'],
      ])
      expect(answer.headers['x-after']).toBe('<inner<middle<outer')
    })

    test('after: an error or an empty answer of the handler → passed; a refusal → not', async () => {
      const { send } = await reach(nested)
      const conflict = await send('PUT', '/a/b/c')
      expect([conflict.status, conflict.json()]).toEqual([409, { error: 'Conflict', message: 'no' }])
      expect(conflict.headers['x-after']).toBe('<inner<middle<outer')
      const empty = await send('POST', '/a/b/c')
      expect([empty.status, empty.headers['x-after']]).toEqual([204, '<inner<middle<outer'])
      const refused = await send('DELETE', '/a/b/c')
      expect([refused.status, refused.headers['x-after']]).toEqual([405, undefined])
    })

    const one = (
      rules: string,
      handler = "POST({ text = 'none' }) { return [text, this.call.state.who ?? null] }",
    ) => ({
      'a/_folder.ts': `import { HttpError, Reply } from 'waybill'\n${rules}`,
      'a/index.ts': code(`export class Default extends Endpoint { ${handler} }`),
    })
    const body = { body: { text: 'x'.repeat(5_000) } }

    test.each([
      ['a reply', 'export const before = () => new Reply(202, "early")', [202, 'early']],
      ['a promise of a reply', 'export const before = async () => new Reply(202, "early")', [202, 'early']],
      [
        'an error',
        "export const before = () => { throw new HttpError(418, 'no') }",
        [418, { error: "I'm a Teapot", message: 'no' }],
      ],
      [
        'a promise that rejects',
        "export const before = async () => { throw new HttpError(418, 'no') }",
        [418, { error: "I'm a Teapot", message: 'no' }],
      ],
    ])('before: %s → ends the request', async (_what, rules, expected) => {
      const { send, log } = await reach(one(rules))
      const answer = await send('POST', '/a', body)
      expect([answer.status, answer.json()]).toEqual(expected)
      expect(log.lines).toEqual([])
    })

    test('before: a promise of nothing → the handler has the whole body', async () => {
      const { send } = await reach(
        one("export const before = async (call) => { await null; call.state.who = 'ann' }"),
      )
      expect((await send('POST', '/a', body)).json()).toEqual([body.body.text, 'ann'])
    })

    test.each([
      ['before returns a number', 'export const before = () => 1'],
      ['before resolves to a number', 'export const before = async () => 1'],
      ['after returns a number', 'export const after = () => 1'],
      ['after throws', "export const after = () => { throw new Error('broken') }"],
      [
        'after throws on an error',
        "export const after = () => { throw new Error('broken') }",
        'POST() { throw new HttpError(409, "no") }',
      ],
    ])('%s → 500 and a log line', async (_what, rules, handler?: string) => {
      const { send, log } = await reach(one(rules, handler))
      expect((await send('POST', '/a')).status).toBe(500)
      expect(log.lines).toHaveLength(1)
    })

    test('access: of the innermost folder → holds, unless the class has its own', async () => {
      const { send } = await reach({
        '_services.ts': GUARD,
        '_folder.ts': "export const access = 'public'",
        'a/_folder.ts': "export const access = 'MAN'",
        'a/index.ts': code(`export class Closed extends Endpoint { GET() {} }
          export class Open extends Endpoint { static access = 'public'; GET() {} }`),
        'b.ts': code('export class Default extends Endpoint { GET() {} }'),
      })
      const statuses = ['/a/closed', '/a/open', '/b'].map(async (path) => (await send('GET', path)).status)
      expect(await Promise.all(statuses)).toEqual([401, 204, 204])
      expect((await send('GET', '/a/closed', as('ann MAN'))).status).toBe(204)
    })
  })

  describe('CORS', () => {
    const files = {
      '_services.ts': GUARD,
      'a.ts': code(`export class Default extends Endpoint {
        static access = 'any'
        static cors = { origins: ['https://app.example', 'http://[::1]:8080'], credentials: true, headers: ['X-Trace'], expose: ['Location'], maxAge: 5 }
        GET() { return 1 }
        PUT() { return 2 }
      }
      export class Everyone extends Endpoint { static access = 'public'; static cors = { origins: '*' }; GET() { return 1 } }
      export class None extends Endpoint { static access = 'public'; GET() { return 1 } }`),
    }
    const from = (origin: string, more: object = {}) => ({ headers: { origin, ...more } })
    const preflight = (origin: string, method: string) =>
      from(origin, { 'access-control-request-method': method, 'access-control-request-headers': 'x-trace' })

    test('preflight from an allowed origin → 204 before access, with methods and headers', async () => {
      const { send } = await reach(files)
      const { status, headers } = await send('OPTIONS', '/a', preflight('https://app.example', 'PUT'))
      expect(status).toBe(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS, PUT',
        'access-control-allow-headers': 'Content-Type, X-Trace',
        'access-control-allow-credentials': 'true',
        'access-control-max-age': '5',
        vary: 'Origin',
      })
    })

    test.each(['https://evil.example', 'null', 'https://app.example.evil', 'https://app.example:8443'])(
      'origin %s → no header of CORS, but Vary',
      async (origin) => {
        const { send } = await reach(files)
        for (const { status, headers } of [
          await send('OPTIONS', '/a', preflight(origin, 'PUT')),
          await send('GET', '/a', from(origin, as('ann').headers)),
        ]) {
          expect(status).toBeLessThan(300)
          expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
          expect(headers.vary).toBe('Origin')
        }
      },
    )

    test('an answer to an allowed origin → readable, errors too', async () => {
      const { send } = await reach(files)
      for (const [method, options, expected] of [
        ['GET', as('ann').headers, 200],
        ['GET', {}, 401],
        ['POST', as('ann').headers, 405],
      ] as const) {
        const { status, headers } = await send(method, '/a', from('http://[::1]:8080', options))
        expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([
          expected,
          'http://[::1]:8080',
          'Origin',
        ])
        expect(headers['access-control-expose-headers']).toBe('Location')
      }
    })

    test('all origins → a star; a class without cors → no header', async () => {
      const { send } = await reach(files)
      const everyone = await send('GET', '/a/everyone', from('https://x.example'))
      expect(everyone.headers['access-control-allow-origin']).toBe('*')
      const none = await send('GET', '/a/none', from('https://x.example'))
      expect([none.headers['access-control-allow-origin'], none.headers.vary]).toEqual([undefined, undefined])
    })
  })

  describe('limit', () => {
    const counting = (limit: string) => ({
      '_services.ts': GUARD,
      'a.ts': code(`export class Default extends Endpoint {
        static access = 'public'
        static limit = ${limit}
        GET() { return 'in' }
        POST() { return 'in' }
      }`),
    })

    test('requests over the limit → 429 with Retry-After, until the window ends', async () => {
      let nowMs = 0
      const { send } = await reach(counting('{ requests: 2, seconds: 60 }'), { now: () => nowMs })
      const first = await send('GET', '/a')
      expect(first.headers).toMatchObject({
        'ratelimit-policy': '"default";q=2;w=60',
        ratelimit: '"default";r=1;t=60',
      })
      nowMs = 20_500
      expect((await send('POST', '/a')).headers.ratelimit).toBe('"default";r=0;t=40')
      const refused = await send('GET', '/a')
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40'])
      expect(refused.json()).toEqual({
        error: 'Too Many Requests',
        message: 'Only 2 requests in 60 seconds are allowed. Try again in 40 seconds.',
      })
      nowMs = 60_000
      expect((await send('GET', '/a')).status).toBe(200)
    })

    test('by verb: a verb without a limit → never refused', async () => {
      const { send } = await reach(counting('{ POST: { requests: 1, seconds: 60 } }'), { now: () => 0 })
      expect((await send('POST', '/a')).status).toBe(200)
      expect((await send('POST', '/a')).status).toBe(429)
      const { status, headers } = await send('GET', '/a')
      expect([status, headers.ratelimit]).toEqual([200, undefined])
    })

    test("by 'identity' → each caller has a limit of its own", async () => {
      const files = counting("{ requests: 1, seconds: 60, by: 'identity' }")
      const { send } = await reach(
        { ...files, 'a.ts': files['a.ts'].replace("'public'", "'any'") },
        { now: () => 0 },
      )
      expect((await send('GET', '/a', as('ann'))).status).toBe(200)
      expect((await send('GET', '/a', as('bob'))).status).toBe(200)
      expect((await send('GET', '/a', as('ann'))).status).toBe(429)
    })

    test('by a function → its key counts', async () => {
      const { send } = await reach(counting('{ requests: 1, seconds: 60, by: ({ method }) => method }'), {
        now: () => 0,
      })
      expect((await send('GET', '/a')).status).toBe(200)
      expect((await send('POST', '/a')).status).toBe(200)
      expect((await send('POST', '/a')).status).toBe(429)
    })
  })

  describe('cache', () => {
    const caching = (cache: string, get = "GET() { return 'hello' }", access = 'public') => ({
      '_services.ts': GUARD,
      'a.ts': code(
        `export class Default extends Endpoint { static access = '${access}'; static cache = ${cache}; ${get} }`,
      ),
    })

    test.each([
      ['{ maxAge: 60 }', 'public', 'max-age=60'],
      ['{ maxAge: 60 }', 'any', 'private, max-age=60'],
      ['false', 'public', 'no-store'],
      ['{ etag: true }', 'public', 'max-age=0'],
    ])('cache = %s and access %s → cache-control: %s', async (cache, access, header) => {
      const { send } = await reach(caching(cache, undefined, access))
      expect((await send('GET', '/a', as('ann'))).headers['cache-control']).toBe(header)
    })

    test('an error, or a refusal → no-store', async () => {
      const failing = "GET() { throw new HttpError(404, 'gone') }"
      const { send } = await reach(caching('{ maxAge: 60 }', failing))
      expect((await send('GET', '/a')).headers['cache-control']).toBe('no-store')
      const { send: refused } = await reach(caching('{ maxAge: 60 }', undefined, 'MAN'))
      expect((await refused('GET', '/a')).headers['cache-control']).toBe('no-store')
    })

    test('a handler that sets cache-control itself → its value', async () => {
      const own = "GET() { return new Reply(200, 1, { headers: { 'cache-control': 'public' } }) }"
      const { send } = await reach(caching('{ maxAge: 60 }', own))
      expect((await send('GET', '/a')).headers['cache-control']).toBe('public')
    })

    test('etag: the same body → the same tag; If-None-Match with it → 304 without a body', async () => {
      const { send } = await reach(caching('{ etag: true }'))
      const { headers } = await send('GET', '/a')
      const etag = headers.etag as string
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
      expect((await send('HEAD', '/a')).headers.etag).toBe(etag)
      const strong = etag.slice(2)
      for (const ifNoneMatch of [etag, strong, `"a", ${etag}`, '*', ` W/"b" ,${strong}`]) {
        const same = await send('GET', '/a', { headers: { 'if-none-match': ifNoneMatch } })
        expect([ifNoneMatch, same.status, same.bytes.length, same.headers.etag]).toEqual([
          ifNoneMatch,
          304,
          0,
          etag,
        ])
        expect(same.headers).not.toHaveProperty('content-type')
      }
      for (const ifNoneMatch of ['"other"', etag.slice(0, -1), strong.replaceAll('"', '')]) {
        const other = await send('GET', '/a', { headers: { 'if-none-match': ifNoneMatch } })
        expect([ifNoneMatch, other.status]).toEqual([ifNoneMatch, 200])
      }
    })

    test.each([
      ['of a stream', "async *GET() { yield 'hello' }", undefined],
      ['of another status', 'GET() { return new Reply(201, 1) }', undefined],
      ['of 1 MiB and a byte', 'GET() { return new Uint8Array(1_048_577) }', undefined],
      [
        'that the handler made',
        'GET() { return new Reply(200, 1, { headers: { ETag: \'"own"\' } }) }',
        '"own"',
      ],
    ])('etag: %s → %s', async (_what, get, etag) => {
      const { send } = await reach(caching('{ etag: true }', get))
      expect((await send('GET', '/a')).headers.etag).toBe(etag)
    })
  })
}
