/** Part of the adapter contract: the beginning and the end of a request by lengths, chunks and packets. */
import { expect, test } from 'vitest'
import { NO_BODY } from '../../src/web/http.ts'
import type { RoutedRequest } from '../../src/web/routed-request.ts'
import type { HttpResponse, RequestHead } from '../../src/web/types.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter } from './adapter.ts'

const ECHO = {
  'index.ts': code(`export class Echo extends Endpoint {
    GET({ ...all }) { return all }
    POST({ ...all }) { return all }
    async DELETE() { return (async function* () { yield 'never' })() }
  }
  export class Sink extends Endpoint {
    static body = 'stream'
    async POST({ body }) { for await (const part of body); }
  }
  export class Bare extends Endpoint { GET() { return 'bare' } PUT() {} }
  export class Stream extends Endpoint { async *GET() { yield 'never sent to HEAD' } }`),
}
/** Headers of an answer that a handler fetched elsewhere and hands on. */
const FETCHED = `{
  'Content-Length': '3', 'transfer-encoding': 'chunked', connection: 'close', 'keep-alive': 'timeout=1', te: 'trailers',
  'proxy-connection': 'close', trailer: 'x-sum', upgrade: 'h2c', date: 'Thu, 01 Jan 1970 00:00:00 GMT', 'x-own': 'kept' }`
const HANDED_ON = {
  'index.ts': code(`const headers = ${FETCHED}
  export class Value extends Endpoint {
    GET() { return new Reply(200, { ok: true }, { headers }) }
    async PUT() { return new Reply(204, undefined, { headers }) }
    DELETE() { throw new HttpError(409, 'Taken.', { headers }) }
  }
  export class Bytes extends Endpoint { GET() { return new Reply(200, Buffer.alloc(7_000), { headers }) } }
  export class Stream extends Endpoint {
    GET() { return new Reply(200, (async function* () { yield 'an item' })(), { headers }) }
  }
  export class Unchanged extends Endpoint { GET() { return new Reply(304, undefined, { headers }) } }`),
  'hooked/_folder.ts': `const headers = ${FETCHED}
    export const after = (call, reply) => reply.with(headers)`,
  'hooked/index.ts': code('export class Value extends Endpoint { GET() { return { ok: true } } }'),
}
/** Ways by which an answer goes out, with its length if it has one. */
const WAYS: readonly [method: string, path: string, status: number, length: string | undefined][] = [
  ['GET', '/value', 200, '11'],
  ['HEAD', '/value', 200, '11'],
  ['PUT', '/value', 204, undefined],
  ['DELETE', '/value', 409, '39'],
  ['GET', '/bytes', 200, '7000'],
  ['GET', '/stream', 200, undefined],
  ['HEAD', '/stream', 200, undefined],
  ['GET', '/unchanged', 304, undefined],
  ['GET', '/hooked/value', 200, '11'],
]
const CHUNKED = 'POST /echo HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n'

export function framingCases({ start, startOver, differences }: Adapter): void {
  test('HEAD: a value → its length, no body', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('HEAD', '/echo?a=1') + String(requestOf('GET', '/echo?a=2')))
    expect((await client.answer('HEAD')).headers['content-length']).toBe('9')
    expect((await client.answer()).json()).toEqual({ a: '2' })
  })

  test('HEAD: a stream → no length, no body', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('HEAD', '/stream') + String(requestOf('GET', '/echo?a=2')))
    const answer = await client.answer('HEAD')
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('content-length')
    expect((await client.answer()).json()).toEqual({ a: '2' })
  })

  test.each(WAYS)(
    'headers of a handler that belong to the connection: %s %s → left out',
    async (method, path, status, length) => {
      const { port } = await start(HANDED_ON)
      const client = await Client.connect(port)
      await client.send(requestOf(method, path))
      const { headers, ...answer } = await client.answer(method)
      expect([answer.status, headers['content-length'], headers['x-own']]).toEqual([status, length, 'kept'])
      expect(headers).not.toHaveProperty('upgrade')
      for (const name of ['te', 'trailer', 'proxy-connection']) expect(headers).not.toHaveProperty(name)
      expect(headers.date ?? '').not.toContain('1970')
      expect(headers['keep-alive'] ?? '').not.toContain('timeout=1,')
      expect(headers.connection ?? 'keep-alive').toBe('keep-alive')
      await client.send(requestOf('GET', '/value'))
      expect((await client.answer()).json()).toEqual({ ok: true })
    },
  )

  test('a request: one byte at a time → read whole', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    const bytes = requestOf('POST', '/echo', { body: { text: 'grüß 🚀' } })
    await client.sendParts(Array.from(bytes, (byte) => Uint8Array.of(byte)))
    expect((await client.answer()).json()).toEqual({ text: 'grüß 🚀' })
  })

  test('a body: in 201 packets → read whole', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    const text = 'x'.repeat(200_000)
    const bytes = requestOf('POST', '/echo', { body: { text } })
    await client.sendParts(Array.from({ length: 201 }, (_, i) => bytes.subarray(i * 1000, (i + 1) * 1000)))
    expect((await client.answer()).json()).toEqual({ text })
  })

  test('a chunked body: chunks cut in several places → read whole', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.sendParts([CHUNKED, '5\r\n{"a":', '\r\n3\r\n', '"b"\r\n1\r\n}\r\n', '0\r\n\r\n'])
    expect((await client.answer()).json()).toEqual({ a: 'b' })
    if (differences.closesAfterChunks) return client.closed
    await client.send(requestOf('GET', '/echo?again=1'))
    expect((await client.answer()).json()).toEqual({ again: '1' })
  })

  const closes = differences.closesAfterChunks
  test.each(['HEAD', 'PUT'])(
    `a chunked body: %s, answered without a body → ${closes ? `the connection ends (${closes})` : 'the connection answers the next request'}`,
    async (method) => {
      const { port } = await start(ECHO)
      const client = await Client.connect(port)
      await client.send(
        `${method} /bare HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      )
      const answer = await client.answer(method)
      expect([answer.status, answer.headers['content-length']]).toEqual(
        method === 'PUT' ? [204, undefined] : [200, '6'],
      )
      if (closes) return client.closed
      await client.send(requestOf('GET', '/echo?again=1'))
      expect((await client.answer()).json()).toEqual({ again: '1' })
    },
  )

  const bare = differences.refusesChunkExtensions
  test(`a chunked body: an extension of a chunk → ${bare ? `the connection ends (${bare})` : 'ignored'}`, async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(`${CHUNKED}2;note=x\r\n{}\r\n0\r\n\r\n`)
    if (bare) await expect(client.answer()).rejects.toThrow('without an answer')
    else expect((await client.answer()).json()).toEqual({})
  })

  test('a body over the limit: the client keeps sending → 413 arrives, then the connection ends', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', '/echo', { body: Buffer.alloc(5_000_000) }))
    expect((await client.answer()).status).toBe(413)
    await client.closed
  })

  const big = Buffer.alloc(20_000_000)
  const inLength = { headers: { 'content-length': String(big.length) }, body: [big] }
  const inChunks = {
    headers: { 'transfer-encoding': 'chunked' },
    body: [`${big.length.toString(16)}\r\n`, big, '\r\n0\r\n\r\n'],
  }
  test.each([
    ['/echo', 'a length', inLength],
    ['/echo', 'chunks', inChunks],
    ['/sink', 'a length', inLength],
    ['/sink', 'chunks', inChunks],
  ])(
    '%s, a body over the limit with %s: the client sends all, then reads → 413',
    async (path, _, { headers, body }) => {
      const { port } = await start(ECHO)
      const client = await Client.connect(port)
      client.pause()
      await client.send(requestOf('POST', path, { headers }))
      for (const part of body) await client.send(part)
      client.resume()
      expect((await client.answer()).status).toBe(413)
      await client.closed
    },
  )

  const roomy = differences.takesLongHeaders
  test(`headers: 20 KB → ${roomy ? `accepted (${roomy})` : '431'}`, async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/echo', { headers: { 'x-long': 'x'.repeat(20_000) } }))
    expect((await client.answer()).status).toBe(roomy ? 200 : 431)
  })

  test('a declared length: over the limit → 413 before any body, the connection ends', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', '/echo', { headers: { 'content-length': '999999999' } }))
    const answer = await client.answer()
    expect(answer.status).toBe(413)
    expect(answer.headers.connection).toBe('close')
    await client.closed
  })

  const huge = differences.closesOnHugeLength
  test(`a declared length: 1 TB → ${huge ? `no answer (${huge})` : '413'}, the connection ends`, async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', '/echo', { headers: { 'content-length': '1000000000000' } }))
    if (huge) await expect(client.answer()).rejects.toThrow('without an answer')
    else expect((await client.answer()).status).toBe(413)
    await client.closed
  })

  test('a chunked body: exceeds the limit → 413, the connection ends, the server answers others', async () => {
    const { port } = await start(ECHO, { bodyLimit: 1_000 })
    const client = await Client.connect(port)
    const chunk = `258\r\n${'x'.repeat(600)}\r\n`
    await client.sendParts([CHUNKED, chunk, chunk])
    const answer = await client.answer()
    expect(answer.status).toBe(413)
    expect(answer.headers.connection).toBe('close')
    await client.closed
    expect((await request(port, 'GET', '/echo?alive=1')).json()).toEqual({ alive: '1' })
  })

  test('an unknown path: a body is announced → 404 before any body', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', '/nothing', { headers: { 'content-length': '200000' } }))
    expect((await client.answer()).status).toBe(404)
  })

  test('Host: twice → 400, the connection ends', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send('GET /echo HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n')
    const answer = await client.answer()
    expect([answer.status, answer.headers.connection]).toEqual([400, 'close'])
    expect(answer.json()).toMatchObject({ error: 'Bad Request' })
    await client.closed
  })

  test.each([
    ['equal', '2', '2'],
    ['different', '2', '3'],
  ])('Content-Length: twice, %s → 400, the connection ends', async (_, one, other) => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(
      `POST /echo HTTP/1.1\r\nhost: test\r\ncontent-length: ${one}\r\ncontent-length: ${other}\r\n\r\n{}`,
    )
    const answer = await client.answer()
    expect([answer.status, answer.headers.connection]).toEqual([400, 'close'])
    expect(answer.json()).toMatchObject({ error: 'Bad Request' })
    await client.closed
  })

  const twoWays = differences.closesOnTwoFramings
  test(`Content-Length: beside chunks → ${twoWays ? `the connection ends (${twoWays})` : '400, the connection ends'}`, async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(`${CHUNKED.replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\n')}2\r\n{}\r\n0\r\n\r\n`)
    if (twoWays) await expect(client.answer()).rejects.toThrow('without an answer')
    else expect((await client.answer()).json()).toMatchObject({ error: 'Bad Request' })
    await client.closed
  })

  test('Transfer-Encoding: gzip → 400, the connection ends', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(`${CHUNKED.replace('chunked', 'gzip')}2\r\n{}\r\n0\r\n\r\n`)
    const answer = await client.answer()
    expect([answer.status, answer.headers.connection]).toEqual([400, 'close'])
    await client.closed
  })

  const unheard = differences.closesOnUnknownMethod
  test(`the method: unknown → ${unheard ? `the connection ends (${unheard})` : '501, the connection ends'}`, async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send(requestOf('BREW', '/echo'))
    if (unheard) await expect(client.answer()).rejects.toThrow('without an answer')
    else expect((await client.answer()).json()).toMatchObject({ error: 'Not Implemented' })
    await client.closed
  })

  const paths = differences.onlyKnowsPaths
  test.skipIf(paths)('Host: missing → 400, the connection ends', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    await client.send('GET /echo HTTP/1.1\r\n\r\n')
    expect((await client.answer()).json()).toMatchObject({ error: 'Bad Request' })
    await client.closed
  })

  test.skipIf(paths)('the target: an absolute URL, or OPTIONS * → answered', async () => {
    const { port } = await start(ECHO)
    expect((await request(port, 'GET', 'http://test/echo?a=1')).json()).toEqual({ a: '1' })
    expect((await request(port, 'OPTIONS', '*')).status).toBe(204)
  })

  test('Expect: 100-continue, the body is within the limit → 100, then the answer', async () => {
    const { port } = await start(ECHO)
    const client = await Client.connect(port)
    const bytes = requestOf('POST', '/echo', { headers: { expect: '100-continue' }, body: { a: 1 } })
    await client.send(bytes.subarray(0, -7))
    expect((await client.answer()).status).toBe(100)
    await client.send(bytes.subarray(-7))
    expect((await client.answer()).json()).toEqual({ a: 1 })
  })

  const eager = differences.alwaysContinues
  test(`Expect: 100-continue, the body is over the limit → ${eager ? `100, then 413 (${eager})` : '413 without 100'}`, async () => {
    const { port } = await start(ECHO, { bodyLimit: 10 })
    const client = await Client.connect(port)
    const headers = { expect: '100-continue', 'content-length': '11' }
    await client.send(requestOf('POST', '/echo', { headers }))
    if (eager) expect((await client.answer()).status).toBe(100)
    expect((await client.answer()).status).toBe(413)
  })

  test('the head: after route → its headers cannot be read, the address can', async () => {
    const errors: string[] = []
    const attempt = (read: () => unknown) => {
      try {
        errors.push(`read ${read()}`)
      } catch (error) {
        errors.push((error as Error).message)
      }
    }
    const run = (head: RequestHead): HttpResponse => {
      attempt(() => head.header('host'))
      attempt(() => head.remote())
      return { status: 200, headers: [], body: NO_BODY }
    }
    const server = await startOver({
      route(head) {
        const routed = { bodyLimit: head.header('content-length') ? 10 : 0, run: () => run(head) }
        return routed as Partial<RoutedRequest> as RoutedRequest
      },
      report: (error) => errors.push(String(error)),
    })
    await request(server.port, 'GET', '/')
    await request(server.port, 'POST', '/', { body: {} })
    const expected = ['A header was read after route.', 'read 127.0.0.1']
    expect(errors).toEqual([...expected, ...expected])
  })
}
