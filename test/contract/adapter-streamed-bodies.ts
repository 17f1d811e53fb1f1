/** Part of the adapter contract: bodies that a handler reads while they arrive. It needs a socket. */
import { createHash } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BODY_IDLE_MS } from '../../src/web/body-stream.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter, Site } from './adapter.ts'

/** Bodies that the test leads by cues. */
const STREAMS = {
  'index.ts': code(`
    import { createHash } from 'node:crypto'
    const LIMIT = 1_000_000_000
    export class First extends Endpoint {
      static body = 'stream'
      async POST({ body }) {
        const { stage } = this.services
        const { value } = await body.next()
        stage.say('first ' + Buffer.from(value))
        for await (const part of body) stage.say('then ' + Buffer.from(part))
        return 'read'
      }
    }
    export class Hash extends Endpoint {
      static body = 'stream'
      static bodyLimit = LIMIT
      async PUT({ body }) {
        const { stage } = this.services
        const hash = createHash('sha256')
        stage.say('arrived')
        await stage.heard('go')
        for await (const part of body) {
          stage.pulled += part.length
          hash.update(part)
        }
        stage.say('read')
        await stage.heard('answer')
        return hash.digest('hex')
      }
    }
    export class Early extends Endpoint {
      static body = 'stream'
      static bodyLimit = LIMIT
      PUT({ body }) { return 'at once' }
      async POST({ body }) {
        for await (const part of body) break
        return 'after a part'
      }
    }
    export class Caught extends Endpoint {
      static body = 'stream'
      static bodyLimit = { POST: 1000 }
      async POST({ body }) {
        const { stage } = this.services
        try {
          for await (const part of body) stage.say('part')
        } catch (error) {
          stage.error = error
          stage.say('failed')
          throw error
        }
        return 'whole'
      }
      async PUT({ body }) {
        try {
          for await (const part of body);
        } catch ({ status, message }) {
          return [status, message]
        }
      }
    }
    export class Echo extends Endpoint {
      static body = 'stream'
      static bodyLimit = LIMIT
      async *POST({ body }) { for await (const part of body) yield Buffer.from(part).toString().toUpperCase() }
    }
    export class Quick extends Endpoint { GET() { return 'quick' } }`),
}

const HEAD = (method: string, target: string, framing: string): string =>
  `${method} ${target} HTTP/1.1\r\nhost: test\r\n${framing}\r\n\r\n`
const CHUNKED = 'transfer-encoding: chunked'
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

export function streamedBodyCases({ start, differences }: Adapter): void {
  test.each([
    ['a length', 'content-length: 10', 'hello', 'world'],
    ['chunks', CHUNKED, chunk('hello'), `${chunk('world')}0\r\n\r\n`],
  ])('with %s: a part → with the handler before the rest is sent', async (_what, framing, first, rest) => {
    const { port, stage } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('POST', '/first', framing) + first)
    await stage.heard('first hello')
    await client.send(rest)
    await stage.heard('then world')
    expect((await client.answer()).json()).toBe('read')
  })

  test('a body that waits whole for a slow handler → read, the connection answers the next request', async () => {
    const { port, stage } = await start(STREAMS)
    const client = await Client.connect(port)
    const body = Buffer.alloc(200_000, 7)
    await client.send(requestOf('PUT', '/hash', { body }))
    await stage.heard('arrived')
    await request(port, 'GET', '/quick')
    stage.say('go')
    await stage.heard('read')
    stage.say('answer')
    expect((await client.answer()).json()).toBe(createHash('sha256').update(body).digest('hex'))
    await client.send(requestOf('GET', '/quick'))
    expect((await client.answer()).json()).toBe('quick')
  })

  const closes = differences.closesAfterChunks
  test(`chunks read to their end → ${closes ? `the connection ends (${closes})` : 'the connection answers the next request'}`, async () => {
    const { port, stage } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(`${HEAD('POST', '/first', CHUNKED)}${chunk('a')}`)
    await stage.heard('first a')
    await client.send(`${chunk('b')}0\r\n\r\n`)
    expect((await client.answer()).json()).toBe('read')
    if (closes) return client.closed
    await client.send(requestOf('GET', '/quick'))
    expect((await client.answer()).json()).toBe('quick')
  })

  const late = differences.closesOnLatePipelining
  test(`a request in the packet of a body → ${late ? `the connection ends (${late})` : 'answered after it'}`, async () => {
    const { port } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', '/first', { body: 'ab' }) + String(requestOf('GET', '/quick')))
    if (late) return expect(client.answer()).rejects.toThrow('without an answer')
    expect((await client.answer()).json()).toBe('read')
    expect((await client.answer()).json()).toBe('quick')
  })

  test.each([
    ['PUT', 'at once'],
    ['POST', 'after a part'],
  ])(
    '%s: a handler returns %s, the rest never comes → answered, then the connection ends',
    async (method, value) => {
      const { port, log } = await start(STREAMS)
      const client = await Client.connect(port)
      await client.send(`${HEAD(method, '/early', 'content-length: 1000')}part`)
      const answer = await client.answer()
      expect([answer.status, answer.json(), answer.headers.connection]).toEqual([200, value, 'close'])
      await client.closed
      expect(log.lines).toEqual([])
    },
  )

  test('a handler returns early, the client keeps sending → answered, then the connection ends', async () => {
    const { port } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('POST', '/early', 'content-length: 900000000'))
    const piece = Buffer.alloc(65_536)
    for (let i = 0; i < 64; i++) await client.send(piece)
    expect((await client.answer()).json()).toBe('after a part')
    await client.closed
  })

  test('a body exceeds the limit: by its declared length → 413, the handler is not called', async () => {
    const { port, stage } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('POST', '/caught', 'content-length: 1001'))
    expect((await client.answer()).status).toBe(413)
    expect(stage).not.toHaveProperty('error')
  })

  test('a body exceeds the limit: in the middle → the iterator throws, 413, the connection ends', async () => {
    const { port, stage, log } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('POST', '/caught', CHUNKED) + chunk('x'.repeat(600)))
    await stage.heard('part')
    await client.send(chunk('x'.repeat(600)))
    const answer = await client.answer()
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close'])
    expect(answer.json()).toMatchObject({
      message: 'The body is larger than 1000 bytes. Send a smaller one.',
    })
    await client.closed
    expect(stage).toHaveProperty('error.status', 413)
    expect(log.lines).toEqual([])
  })

  test('a handler catches the error of the iterator → its own answer', async () => {
    const { port } = await start(STREAMS, { bodyLimit: 5 })
    const client = await Client.connect(port)
    await client.send(HEAD('PUT', '/caught', CHUNKED) + chunk('123456'))
    expect((await client.answer()).json()).toEqual([413, expect.any(String)])
    await client.closed
  })

  test('no part for 30 s: while the handler waits for one → 408, the connection ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { port, stage, log } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(`${HEAD('POST', '/first', 'content-length: 10')}a`)
    await stage.heard('first a')
    for (const part of ['b', 'c']) {
      vi.advanceTimersByTime(BODY_IDLE_MS - 1)
      await client.send(part)
      await stage.heard(`then ${part}`)
    }
    // The handler asks for the next part in the same turn in which it got the last one.
    await request(port, 'GET', '/quick')
    vi.advanceTimersByTime(BODY_IDLE_MS)
    const answer = await client.answer()
    expect([answer.status, answer.headers.connection]).toEqual([408, 'close'])
    expect(answer.json()).toMatchObject({ message: 'The body did not arrive in time. Send it again.' })
    vi.advanceTimersByTime(BODY_IDLE_MS)
    await client.closed
    expect(log.lines).toEqual([])
  })

  test('no part for 30 s: while the handler is busy → nothing happens', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { port, stage } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(`${HEAD('PUT', '/hash', 'content-length: 2')}a`)
    await stage.heard('arrived')
    vi.advanceTimersByTime(10 * BODY_IDLE_MS)
    stage.say('go')
    stage.say('answer')
    await client.send('b')
    expect((await client.answer()).status).toBe(200)
  })

  test('the client leaves → the iterator throws, nothing is logged', async () => {
    const { port, stage, log } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(`${HEAD('POST', '/caught', 'content-length: 100')}a`)
    await stage.heard('part')
    await client.leave()
    await stage.heard('failed')
    expect(stage).toHaveProperty('error.status', 400)
    await request(port, 'GET', '/quick')
    expect(log.lines).toEqual([])
  })

  test('the client leaves while it is held back → the iterator throws once the handler reads', async () => {
    const { port, stage, log } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('PUT', '/hash', 'content-length: 90000000') + 'x'.repeat(70_000))
    await stage.heard('arrived')
    await client.leave()
    stage.say('go')
    for (let i = 0; i < 20; i++) await request(port, 'GET', '/quick')
    expect(stage.pulled).toBeLessThanOrEqual(70_000)
    expect(log.lines).toEqual([])
  })

  test('the client leaves while the answer is streamed from the body → nothing is logged', async () => {
    const { port, log } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(`${HEAD('POST', '/echo', CHUNKED)}${chunk('hello')}`)
    await client.arrived('HELLO')
    await client.leave()
    for (let i = 0; i < 20; i++) await request(port, 'GET', '/quick')
    expect(log.lines).toEqual([])
  })

  test('an answer that is streamed from the body → each part answered before the next is sent', async () => {
    const { port } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(`${HEAD('POST', '/echo', CHUNKED)}${chunk('hello')}`)
    await client.arrived('HELLO')
    await client.send(chunk('world'))
    await client.arrived('WORLD')
    await client.send('0\r\n\r\n')
    const answer = await client.answer()
    expect([answer.text(), answer.whole]).toEqual(['HELLOWORLD', true])
  })

  test('a malformed chunk in the middle → the iterator throws, the connection ends, nothing is logged', async () => {
    const { port, stage, log } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('POST', '/caught', CHUNKED) + chunk('good'))
    await stage.heard('part')
    await client.send('zz\r\nbad\r\n')
    await stage.heard('failed')
    expect(stage).toHaveProperty('error.status', 400)
    await client.closed
    expect(log.lines).toEqual([])
  })

  test('Expect: 100-continue → 100, then the answer', async () => {
    const { port } = await start(STREAMS)
    const client = await Client.connect(port)
    await client.send(HEAD('POST', '/first', 'content-length: 2\r\nexpect: 100-continue'))
    expect((await client.answer()).status).toBe(100)
    await client.send('ab')
    expect((await client.answer()).json()).toBe('read')
  })
}

/** Bodies of many megabytes or many chunks. */
export function largeBodyCases({ start }: Adapter): void {
  test('the handler reads nothing → the client is held back; it reads again → whole', async () => {
    const { port, stage } = await start(STREAMS)
    const client = await Client.connect(port)
    const piece = Buffer.alloc(65_536, 'waybill ')
    const pieces = 1024
    const hash = createHash('sha256')
    await client.send(HEAD('PUT', '/hash', `content-length: ${piece.length * pieces}`))
    let sent = 0
    const sending = (async () => {
      for (let i = 0; i < pieces; i++) {
        hash.update(piece)
        await client.send(piece)
        sent++
      }
    })()
    await stage.heard('arrived')
    expect(await stalled(port, () => sent)).toBeLessThan(pieces / 2)
    expect(stage.pulled).toBe(0)
    stage.say('go')
    stage.say('answer')
    await sending
    expect((await client.answer()).json()).toBe(hash.digest('hex'))
    expect(stage.pulled).toBe(piece.length * pieces)
    await client.send(requestOf('GET', '/quick'))
    expect((await client.answer()).json()).toBe('quick')
  })

  test('an answer that is streamed from a body of 8 MB → whole', async () => {
    const { port } = await start(STREAMS)
    const client = await Client.connect(port)
    const answer = client.answer()
    const body = Buffer.alloc(8_000_000, 'a')
    await client.send(HEAD('POST', '/echo', `content-length: ${body.length}`))
    await client.sendParts(
      Array.from({ length: 80 }, (_, i) => body.subarray(i * 100_000, (i + 1) * 100_000)),
    )
    const { bytes, whole } = await answer
    expect([bytes.length, whole, bytes.every((byte) => byte === 0x41)]).toEqual([8_000_000, true, true])
  })

  test('an answer that is streamed from the body, whose client takes none of it → held back or cut, nothing is logged', async () => {
    const { port, log } = await start(STREAMS)
    const client = await Client.connect(port)
    client.pause()
    let ended = false
    void client.closed.then(() => {
      ended = true
    })
    const piece = Buffer.alloc(65_536, 'a')
    await client.send(HEAD('POST', '/echo', `content-length: ${piece.length * 1024}`))
    let sent = 0
    void (async () => {
      for (; sent < 1024 && !ended; sent++) await client.send(piece)
    })()
    await stalled(port, () => sent)
    // A write to a connection that was cut counts as sent.
    expect(ended || sent < 512).toBe(true)
    await client.leave()
    await request(port, 'GET', '/quick')
    expect(log.lines).toEqual([])
  })

  test('100,000 chunks of a byte → whole', async () => {
    const { port } = await start(STREAMS)
    const client = await Client.connect(port)
    const answer = client.answer()
    await client.send(`${HEAD('POST', '/echo', CHUNKED)}${chunk('a').repeat(100_000)}0\r\n\r\n`)
    expect((await answer).bytes.length).toBe(100_000)
  })
}

/** Makes other requests until a count has not changed during 20 of them. Returns the count. */
async function stalled(port: Site['port'], count: () => number): Promise<number> {
  for (let calm = 0, seen = -1; ; calm++) {
    if (calm === 20) return seen
    if (count() !== seen) calm = 0
    seen = count()
    await request(port, 'GET', '/quick')
  }
}
