/** Part of the adapter contract: a server closes without losing a request that has begun. */
import { expect, test } from 'vitest'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter } from './adapter.ts'

const LONG_MS = 60_000

const TREE = {
  'index.ts': code(`
    export class Slow extends Endpoint {
      async GET() {
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
        return new Reply(200, 'slow', { onSent: this.services.stage.settle })
      }
      async PUT() { await this.GET() }
    }
    export class Endless extends Endpoint {
      async *GET() {
        try {
          for (;;) {
            yield 'tick '
            await this.services.stage.heard('tick')
          }
        } finally {
          this.services.stage.say('returned')
        }
      }
    }
    export class Watched extends Endpoint {
      static media = 'text/event-stream'
      async *GET() {
        const { signal } = this.call
        yield 'data: 1\\n\\n'
        if (!signal.aborted) await new Promise((stopped) => signal.addEventListener('abort', stopped))
        yield 'data: the last\\n\\n'
      }
    }
    export class Patient extends Endpoint {
      async GET() {
        this.call.signal.addEventListener('abort', () => this.services.stage.say('aborted'))
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
        return this.call.signal.aborted
      }
    }
    export class Quick extends Endpoint {
      GET() { return 'quick' }
      POST({ ...all }) { return all }
    }`),
}

/** Makes one request. By its answer the server has read everything that was sent before. */
async function roundTrip(port: number): Promise<void> {
  await request(port, 'GET', '/quick')
}

export function closingCases({ start, differences }: Adapter): void {
  test('a request is running → it is answered, then its connection ends', async () => {
    const { port, server, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    const closed = server.close(LONG_MS)
    await expect(Client.connect(port)).rejects.toThrow('ECONNREFUSED')
    stage.say('go')
    const answer = await client.answer()
    expect([answer.status, answer.json()]).toEqual([200, 'slow'])
    expect(answer.headers.connection).toBe('close')
    await client.closed
    await closed
    expect(stage.settlements).toEqual([true])
  })

  test.each(['HEAD', 'PUT'])(
    'a request with %s is running → an answer without a body, then its connection ends',
    async (method) => {
      const { port, server, stage } = await start(TREE)
      const client = await Client.connect(port)
      await client.send(requestOf(method, '/slow'))
      await stage.heard('arrived')
      const closed = server.close(LONG_MS)
      stage.say('go')
      expect((await client.answer(method)).headers.connection).toBe('close')
      await client.closed
      await closed
    },
  )

  test('no request → closed at once', async () => {
    const { server } = await start(TREE)
    await server.close(LONG_MS)
  })

  test('a connection is idle → closed without waiting for it', async () => {
    const { port, server } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/quick'))
    await client.answer()
    await server.close(LONG_MS)
    if (!differences.keepsIdleConnections) await client.closed
  })

  test.each([
    ['nothing', ''],
    ['half a head', 'GET /quick HTTP/1.1\r\nho'],
  ])('a connection has sent %s → closed without waiting for it', async (_, sent) => {
    const { port, server } = await start(TREE)
    const client = await Client.connect(port)
    if (sent !== '') await client.send(sent)
    await roundTrip(port)
    await server.close(LONG_MS)
    if (!differences.keepsIdleConnections) await client.closed
  })

  test('a streamed answer waits for its signal → it aborts, the last item is sent, the answer is whole', async () => {
    const { port, server, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/watched'))
    await client.arrived('data: 1')
    await server.close(LONG_MS)
    const answer = await client.answer()
    expect(answer.text()).toContain('data: the last')
    expect(answer.whole).toBe(true)
    expect(log.lines).toEqual([])
  })

  test('an answer that is no stream → its signal does not abort', async () => {
    const { port, server, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/patient'))
    await stage.heard('arrived')
    const closed = server.close(LONG_MS)
    stage.say('go')
    expect((await client.answer()).json()).toBe(false)
    await closed
  })

  test('a new request on an open connection → 503, or the connection is closed', async () => {
    const { port, server, stage } = await start(TREE)
    const slow = await Client.connect(port)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/quick'))
    await client.answer()
    await slow.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    const closed = server.close(LONG_MS)
    await client.send(requestOf('GET', '/quick'))
    const answer = await client.answer().catch(() => null)
    if (answer) expect([answer.status, answer.headers.connection]).toEqual([503, 'close'])
    await client.closed
    stage.say('go')
    expect((await slow.answer()).status).toBe(200)
    await closed
  })

  test('half of the headers had arrived → 503 with Retry-After', async () => {
    const { port, server, stage } = await start(TREE)
    const slow = await Client.connect(port)
    await slow.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    const client = await Client.connect(port)
    await client.send('GET /quick HTTP/1.1\r\nho')
    await roundTrip(port)
    const closed = server.close(LONG_MS)
    await client.send('st: test\r\n\r\n')
    const answer = await client.answer()
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
    await client.closed
    stage.say('go')
    await closed
  })

  test('half of the body had arrived → the request is answered', async () => {
    const { port, server } = await start(TREE)
    const client = await Client.connect(port)
    const bytes = requestOf('POST', '/quick', { body: { a: 1 } })
    await client.send(bytes.subarray(0, -4))
    await roundTrip(port)
    const closed = server.close(LONG_MS)
    await client.send(bytes.subarray(-4))
    expect((await client.answer()).json()).toEqual({ a: 1 })
    await closed
  })

  test('a request outlasts the grace period → cut, settled as not sent', async () => {
    const { port, server, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    await server.close(1)
    await expect(client.answer()).rejects.toThrow('without an answer')
    stage.say('go')
    await stage.heard('settled')
    expect(stage.settlements).toEqual([false])
  })

  test('a body outlasts the grace period → cut', async () => {
    const { port, server } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', '/quick', { body: { a: 1 } }).subarray(0, -4))
    await roundTrip(port)
    await server.close(1)
    await expect(client.answer()).rejects.toThrow('without an answer')
  })

  test('a stream outlasts the grace period → cut, its source is ended, nothing logged', async () => {
    const { port, server, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/endless'))
    await client.arrived('tick')
    await server.close(1)
    expect((await client.answer()).whole).toBe(false)
    stage.say('tick')
    await stage.heard('returned')
    expect(log.lines).toEqual([])
  })
}
