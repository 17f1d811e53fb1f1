/** Part of the adapter contract: a stream is read while it is sent. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { STREAM_STALL_MS } from '../../src/web/http.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter, Site } from './adapter.ts'

const PIECE = 64 * 1024
const PIECES = 1024

/** Streams that count the pieces the server requested. `?size` is the length of a piece, `?count` their number. */
const TREE = {
  'index.ts': code(`
    export class Stream extends Endpoint {
      static keywords = { GET: Type.Object({ size: Type.Integer(), count: Type.Integer() }) }
      GET({ size, count }) { return new Reply(200, pieces(this.services.stage, size, count), { onSent: this.services.stage.settle }) }
    }
    async function* pieces(stage, size, count) {
      try {
        for (let i = 0; i < count; i++) {
          stage.pulled++
          yield Buffer.alloc(size, i)
        }
      } finally {
        stage.say('returned')
      }
    }
    export class Ticking extends Endpoint {
      async *GET() {
        try {
          yield 'first'
          await this.services.stage.heard('tick')
          yield 'second'
          await this.services.stage.heard('never')
        } finally {
          this.services.stage.say('returned')
        }
      }
    }
    export class Waiting extends Endpoint {
      GET() {
        const { stage } = this.services
        const never = new Promise(() => {})
        let first = true
        return {
          [Symbol.asyncIterator]: () => ({
            next: () => (first ? ((first = false), Promise.resolve({ value: 'first', done: false })) : never),
            return: () => (stage.say('returned'), Promise.resolve({ done: true })),
          }),
        }
      }
    }
    export class Broken extends Endpoint {
      GET() {
        const { stage } = this.services
        return new Reply(200, broken(stage), { onSent: stage.settle })
      }
    }
    async function* broken(stage) {
      yield 'good so far'
      await stage.heard('tear')
      throw new Error('torn')
    }
    export class Quick extends Endpoint { GET() { return 'quick' } }
    export class Posted extends Endpoint {
      static keywords = { POST: Type.Object({ count: Type.Integer({ default: 2 }) }) }
      async *POST({ count }) { for (let i = 0; i < count; i++) yield 'piece' }
    }`),
}

/** Makes other requests until the server has requested no further piece during 20 of them. */
async function stalled({ port, stage }: Site): Promise<number> {
  for (let calm = 0, seen = -1; ; calm++) {
    if (calm === 20) return seen
    if (stage.pulled !== seen) calm = 0
    seen = stage.pulled
    await request(port, 'GET', '/quick')
  }
}

export function streamCases({ start }: Adapter): void {
  test('500 pieces → whole, settled as sent, the connection answers the next request', async () => {
    const { port, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', `/stream?size=1000&count=500`))
    const { bytes, whole } = await client.answer()
    expect([bytes.length, whole]).toEqual([500_000, true])
    expect(bytes.every((byte, i) => byte === Math.floor(i / 1000) % 256)).toBe(true)
    await stage.heard('settled')
    expect(stage.settlements).toEqual([true])
    await client.send(requestOf('GET', '/quick'))
    expect((await client.answer()).json()).toBe('quick')
  })

  test('no pieces → 200 with an empty body', async () => {
    const { port } = await start(TREE)
    const answer = await request(port, 'GET', '/stream?size=1&count=0')
    expect([answer.status, answer.whole, answer.text()]).toEqual([200, true, ''])
  })

  test.each([
    ['', 'piecepiece'],
    ['?count=0', ''],
  ])('an answer to a chunked body, %j → whole', async (query, text) => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(
      `POST /posted${query} HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    )
    const answer = await client.answer()
    expect([answer.text(), answer.whole]).toEqual([text, true])
  })

  test('an event stream without an event → its head arrives', async () => {
    const { port } = await start({
      'index.ts': code(`export class Silent extends Endpoint {
        static media = 'text/event-stream'
        async *GET() { await this.services.stage.heard('never'); yield 'data: 1' }
      }`),
    })
    const answer = await fetch(`http://127.0.0.1:${port}/silent`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await answer.body?.cancel()
  })

  test('a piece → sent before the next one exists', async () => {
    const { port, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/ticking'))
    await client.arrived('first')
    stage.say('tick')
    await client.arrived('second')
  })

  test.each(['/ticking', '/waiting'])(
    '%s: the client leaves → the source is ended, nothing logged',
    async (target) => {
      const { port, stage, log } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(requestOf('GET', target))
      await client.arrived('first')
      await client.leave()
      stage.say('tick')
      stage.say('never')
      await stage.heard('returned')
      expect(log.lines).toEqual([])
    },
  )

  test('the client takes nothing for a minute → cut, the source is ended, one log line', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const site = await start(TREE)
    const client = await Client.connect(site.port)
    client.pause()
    await client.send(requestOf('GET', `/stream?size=${PIECE}&count=${PIECES}`))
    expect(await stalled(site)).toBeLessThan(PIECES)
    vi.advanceTimersByTime(STREAM_STALL_MS)
    await site.stage.heard('returned')
    await site.stage.heard('settled')
    expect(site.stage.settlements).toEqual([false])
    expect(site.log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'the client took no part of the response for 60 s: the connection was closed'],
    ])
  })

  test('the client leaves while the source is paused → the source is ended, settled as not sent', async () => {
    const site = await start(TREE)
    const client = await Client.connect(site.port)
    client.pause()
    await client.send(requestOf('GET', `/stream?size=${PIECE}&count=${PIECES}`))
    await stalled(site)
    await client.leave()
    await site.stage.heard('returned')
    await site.stage.heard('settled')
    expect(site.stage.pulled).toBeLessThan(PIECES)
    expect(site.stage.settlements).toEqual([false])
  })

  test('the source fails → the connection is cut, the error logged and not sent', async () => {
    const { port, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/broken'))
    await client.arrived('good so far')
    stage.say('tear')
    const answer = await client.answer()
    expect([answer.status, answer.whole]).toEqual([200, false])
    expect(answer.text()).not.toContain('torn')
    await stage.heard('settled')
    expect(stage.settlements).toEqual([false])
    expect(log.lines).toMatchObject([{ fields: { err: new Error('torn'), request: 'GET /broken' } }])
    expect((await request(port, 'GET', '/quick')).json()).toBe('quick')
  })
}

/** Streams of many megabytes. */
export function largeStreamCases({ start }: Adapter): void {
  test('the client stops reading → the source is paused; the client reads again → whole', async () => {
    const site = await start(TREE)
    const client = await Client.connect(site.port)
    client.pause()
    await client.send(requestOf('GET', `/stream?size=${PIECE}&count=${PIECES}`))
    expect(await stalled(site)).toBeLessThan(PIECES / 2)
    client.resume()
    const { bytes, whole } = await client.answer()
    expect([bytes.length, whole]).toEqual([PIECE * PIECES, true])
    expect(site.stage.pulled).toBe(PIECES)
  })

  test('pieces of 4 MB → requested no faster than they are sent', async () => {
    const { port, stage } = await start(TREE)
    const client = await Client.connect(port)
    const [size, count] = [4 * 1024 * 1024, 12]
    let ahead = 0
    client.onBytes((total) => {
      ahead = Math.max(ahead, stage.pulled * size - total)
    })
    await client.send(requestOf('GET', `/stream?size=${size}&count=${count}`))
    const { bytes, whole } = await client.answer()
    expect([bytes.length, whole]).toEqual([count * size, true])
    expect(ahead).toBeLessThan(5 * size)
  })
}
