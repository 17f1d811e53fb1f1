/** Declarations of bodies: mistakes stop the start, and the API description shows them. Streams over `inject`. */
import { describe, expect, test } from 'vitest'
import { inject } from '../../src/web/inject.ts'
import { appOf, code, problemOf } from '../_support/trees.ts'

const STATICS = (statics: string, methods = 'POST({ body }) {} GET() {}') => ({
  'a.ts': code(`export class Default extends Endpoint { ${statics}\n${methods} }`),
})

describe('a mistake in a declaration → stops the start', () => {
  const LIMIT = 'must be a number of bytes, from 1 to 9007199254740991'
  test.each([
    ["static body = 'bytes'", ": static body must be 'raw' or 'stream'"],
    ['static body = undefined', ": static body must be 'raw' or 'stream'"],
    ["static body = { PUT: 'raw' }", ', PUT: static body names it, but there is no such method'],
    [
      "static body = { GET: 'stream' }",
      ", GET: static body is 'stream', so its last parameter must be like { body }",
    ],
    [
      "static body = 'raw'; static keywords = { POST: Type.Object({ body: Type.String() }) }",
      ", POST: static body is 'raw', so static keywords must not have body. Remove it there",
    ],
    ['static bodyLimit = 0', `: static bodyLimit ${LIMIT}`],
    ["static bodyLimit = '1 MB'", `: static bodyLimit ${LIMIT}`],
    ['static bodyLimit = { POST: 2 ** 53 }', `: static bodyLimit ${LIMIT}`],
    ['static bodyLimit = { PUT: 1 }', ', PUT: static bodyLimit names it, but there is no such method'],
    ['static bodylimit = 1', ' has static bodylimit, which means nothing. Rename it to bodyLimit'],
  ])('%s', async (statics, problem) => {
    expect(await problemOf(STATICS(statics))).toBe(`A/a.ts: class Default${problem}`)
  })

  test('static body without any parameter body', async () => {
    expect(await problemOf(STATICS("static body = 'raw'", 'POST({ bdy }) {}'))).toBe(
      'A/a.ts: class Default: static body concerns no method. Give a method the parameter { body }',
    )
  })
})

test('API description: bytes and streams → application/octet-stream, keywords in the query, the limit in words', async () => {
  const { app } = await appOf({
    'a.ts': code(`export class Default extends Endpoint {
      static body = { POST: 'raw', PUT: 'stream' }
      static bodyLimit = { PUT: 5000 }
      static access = 'public'
      static keywords = { PUT: Type.Object({ name: Type.String() }) }
      static errors = { POST: [], PUT: [] }
      POST({ body }) {}
      PUT({ name, body }) {}
      PATCH({ text }) {}
    }`),
  })
  const { post, put, patch } = app.describe().paths['/a'] ?? {}
  const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
  expect(post?.requestBody).toEqual({ required: false, content })
  expect(post).not.toHaveProperty('parameters')
  expect(put?.requestBody).toEqual({ description: 'At most 5000 bytes.', required: false, content })
  expect(put?.parameters).toMatchObject([{ name: 'name', in: 'query', required: true }])
  expect(post?.responses).not.toHaveProperty('408')
  expect(put?.responses).toMatchObject({ 408: {}, 413: {}, 415: { description: 'the body is compressed' } })
  expect(patch?.requestBody).toMatchObject({ required: true, content: { 'application/json': {} } })
})

describe('inject with an async iterable', () => {
  const FILES = {
    'a.ts': code(`
      export class Sum extends Endpoint {
        static body = { PUT: 'stream', PATCH: 'raw' }
        static bodyLimit = 1_000_000
        async PUT({ body }) {
          let length = 0
          for await (const part of body) length += part.length
          return length
        }
        PATCH({ body }) { return Buffer.from(body).toString() }
        POST({ text }) { return text }
      }
      export class First extends Endpoint {
        static body = 'stream'
        async PUT({ body }) { for await (const part of body) return Buffer.from(part).toString() }
      }`),
  }
  async function* parts(...texts: readonly (string | Uint8Array)[]) {
    yield* texts
  }

  test('parts of text and bytes → collected, or passed on', async () => {
    const { app } = await appOf(FILES)
    const send = async (method: string, body: AsyncIterable<string | Uint8Array>) =>
      (await inject(app, method, '/a/sum', { body })).json()
    expect(await send('PUT', parts('añb', Buffer.from('c')))).toBe(5)
    expect(await send('PUT', parts())).toBe(0)
    expect(await send('PATCH', parts('a', 'b'))).toBe('ab')
    expect(await send('POST', parts('{"text":', '"hello"}'))).toBe('hello')
  })

  test('more than the limit → 413', async () => {
    const { app } = await appOf(FILES)
    for (const method of ['PUT', 'PATCH']) {
      const body = parts(Buffer.alloc(600_000), Buffer.alloc(600_000))
      expect([method, (await inject(app, method, '/a/sum', { body })).status]).toEqual([method, 413])
    }
  })

  test('a handler that returns early → the source is read no further, and ended', async () => {
    const { app } = await appOf(FILES)
    let made = 0
    let ended = false
    const body = (async function* () {
      try {
        for (; made < 1000; made++) yield 'x'.repeat(10_000)
      } finally {
        ended = true
      }
    })()
    const answer = await inject(app, 'PUT', '/a/first', {
      body,
      headers: { 'transfer-encoding': 'chunked' },
    })
    expect(answer.status).toBe(200)
    await new Promise(setImmediate)
    expect([ended, made < 20]).toEqual([true, true])
  })

  test('a source that fails → a client that left: 400, nothing logged', async () => {
    const { app, log } = await appOf(FILES)
    const body = (async function* () {
      yield 'x'
      throw new Error('gone')
    })()
    expect((await inject(app, 'PUT', '/a/sum', { body })).status).toBe(400)
    expect(log.lines).toEqual([])
  })
})
