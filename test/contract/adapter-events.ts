/** Part of the adapter contract: streams of server-sent events. */
import { expect, test } from 'vitest'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter } from './adapter.ts'

const LONG_MS = 60_000

const TREE = {
  'news.ts': `import { Endpoint, EventStream } from 'waybill'
    export class Default extends Endpoint {
      static headers = ['last-event-id']
      GET() {
        const every = (ms, run) => {
          this.services.stage.say('every ' + ms)
          void this.services.stage.heard('beat').then(run)
          return () => this.services.stage.say('heartbeat stopped')
        }
        return new EventStream(this.call, this.news(), { retry: 2000, every })
      }
      async *news() {
        const { stage } = this.services
        try {
          yield { id: Number(this.call.headers['last-event-id'] ?? 0) + 1, event: 'note', data: { text: 'a\\nb' } }
          await stage.heard('next')
          yield { data: 'two\\nlines' }
          await stage.heard('never')
        } finally {
          stage.say('closed')
        }
      }
    }
    export class Short extends Endpoint {
      GET() { return new EventStream(this.call, short()) }
    }
    async function* short() { yield { data: 1 } }
    export class Broken extends Endpoint {
      GET() { return new EventStream(this.call, broken(this.services.stage)) }
    }
    async function* broken(stage) {
      yield { data: 1 }
      await stage.heard('fail')
      throw new Error('the source failed')
    }`,
  'other.ts': code('export class Default extends Endpoint { GET() { return 1 } }'),
}

export function eventCases({ start }: Adapter): void {
  test('events → one by one, with retry, id, name and data; a heartbeat between', async () => {
    const { port, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/news', { headers: { 'last-event-id': '41' } }))
    await client.arrived('retry: 2000\n\n')
    await client.arrived('event: note\nid: 42\ndata: {"text":"a\\nb"}\n\n')
    await stage.heard('every 15000')
    stage.say('beat')
    await client.arrived(':\n\n')
    stage.say('next')
    await client.arrived('data: two\ndata: lines\n\n')
  })

  test('a source that ends → the answer is whole, with the headers of an event stream', async () => {
    const { port, log } = await start(TREE)
    const answer = await request(port, 'GET', '/news/short')
    expect(answer.text()).toContain('data: 1\n\n')
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    expect(log.lines).toEqual([])
  })

  test('the client leaves while the source waits → the heartbeat stops, and the source is closed', async () => {
    const { port, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/news'))
    await client.arrived('id: 1')
    await client.leave()
    await stage.heard('heartbeat stopped')
    // A generator closes when it continues.
    stage.say('next')
    await stage.heard('closed')
    expect(log.lines).toEqual([])
  })

  test('the server stops while the source waits → the answer ends whole, at once', async () => {
    const { port, server, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/news'))
    await client.arrived('id: 1')
    await server.close(LONG_MS)
    expect((await client.answer()).whole).toBe(true)
    await stage.heard('heartbeat stopped')
    expect(log.lines).toEqual([])
  })

  test('the source throws → logged, and the connection is cut', async () => {
    const { port, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/news/broken'))
    await client.arrived('data: 1')
    stage.say('fail')
    expect((await client.answer()).whole).toBe(false)
    expect(log.lines.map(({ fields }) => String(fields.err))).toEqual(['Error: the source failed'])
  })
}
