/** Part of the adapter contract: clients that leave early, and the calls of `onSent` about it. */
import { expect, test } from 'vitest'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter } from './adapter.ts'

const TREE = {
  'index.ts': code(`
    const settle = (stage) => ({ onSent: stage.settle })
    export class Quick extends Endpoint {
      GET() { return new Reply(200, 'quick', settle(this.services.stage)) }
      POST({ ...all }) { return new Reply(200, all, settle(this.services.stage)) }
      PUT() { return new Reply(204, undefined, settle(this.services.stage)) }
    }
    export class Slow extends Endpoint {
      async GET() {
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
        return new Reply(200, 'slow', settle(this.services.stage))
      }
    }
    export class Attentive extends Endpoint {
      async GET() {
        const { stage } = this.services
        this.call.signal.addEventListener('abort', () => stage.say('aborted'))
        stage.say('arrived')
        await stage.heard('go')
        return new Reply(200, this.call.signal.aborted, settle(stage))
      }
      async POST({ ...all }) { return this.GET() }
    }
    export class Large extends Endpoint {
      GET() {
        this.services.stage.say('arrived')
        return new Reply(200, Buffer.alloc(${64 * 1024 * 1024}), settle(this.services.stage))
      }
    }
    export class Source extends Endpoint {
      GET() {
        const { stage } = this.services
        const next = () => Promise.resolve({ value: Buffer.alloc(1000), done: false })
        const end = () => (stage.say('returned'), Promise.resolve({ done: true }))
        return new Reply(200, { [Symbol.asyncIterator]: () => ({ next, return: end }) }, settle(stage))
      }
    }
    export class Careless extends Endpoint {
      GET() { return new Reply(200, 'fine', { onSent: () => { throw new Error('careless') } }) }
    }`),
}

/** Makes one request. By its answer the server has read everything before it, an ended connection too. */
async function roundTrip(port: number): Promise<void> {
  await request(port, 'GET', '/nothing')
}

export function leavingCases({ start, differences }: Adapter): void {
  test.each([
    ['GET', {}],
    ['HEAD', {}],
    ['PUT', {}],
    ['POST', { body: { a: 1 } }],
  ])('%s: the answer was sent → settled once, as sent', async (method, options) => {
    const { port, server, stage } = await start(TREE)
    await request(port, method, '/quick', options)
    await stage.heard('settled')
    await server.close(0)
    expect(stage.settlements).toEqual([true])
  })

  test('leaves in the middle of its body → other clients are answered, nothing logged', async () => {
    const { port, server, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    const bytes = requestOf('POST', '/quick', { body: { a: 'x'.repeat(1000) } })
    await client.sendParts([bytes.subarray(0, 300), bytes.subarray(300, 600)])
    await client.leave()
    expect((await request(port, 'GET', '/quick')).json()).toBe('quick')
    await server.close(0)
    expect(stage.settlements).toEqual([true])
    expect(log.lines).toEqual([])
  })

  test('leaves before its answer → settled once, as not sent', async () => {
    const { port, server, stage, log } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    await client.leave()
    await roundTrip(port)
    stage.say('go')
    await stage.heard('settled')
    await server.close(0)
    expect(stage.settlements).toEqual([false])
    expect(log.lines).toEqual([])
  })

  test.each([
    ['GET', {}],
    ['POST', { body: { a: 1 } }],
  ])('%s: leaves before its answer → the signal of the call aborts', async (method, options) => {
    const { port, stage } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf(method, '/attentive', options))
    await stage.heard('arrived')
    await client.leave()
    await stage.heard('aborted')
    stage.say('go')
    await stage.heard('settled')
    expect(stage.settlements).toEqual([false])
  })

  test('waits for its answer → the signal of the call does not abort', async () => {
    const { port, stage } = await start(TREE)
    stage.say('go')
    expect((await request(port, 'GET', '/attentive')).json()).toBe(false)
  })

  test('leaves in the middle of a large answer → settled once, as not sent', async () => {
    const { client, server, stage } = await askedForLarge(start)
    await client.leave()
    await stage.heard('settled')
    await server.close(0)
    expect(stage.settlements).toEqual([false])
  })

  test.skipIf(differences.closesOnLatePipelining)(
    'leaves with three requests open → each is settled once, as not sent',
    async () => {
      const { port, server, stage, log } = await start(TREE)
      const client = await Client.connect(port)
      const queue = [requestOf('GET', '/slow'), requestOf('GET', '/quick'), requestOf('GET', '/source')]
      await client.send(Buffer.concat(queue))
      await stage.heard('arrived')
      await client.leave()
      await roundTrip(port)
      stage.say('go')
      await stage.heard('returned')
      await server.close(0)
      expect(stage.settlements).toEqual([false, false, false])
      expect(log.lines).toEqual([])
    },
  )

  test('an error in onSent → logged, the answer arrives', async () => {
    const { port, server, log } = await start(TREE)
    expect((await request(port, 'GET', '/careless')).json()).toBe('fine')
    await server.close(0)
    expect(log.lines).toMatchObject([{ level: 'error', fields: { err: new Error('careless') } }])
  })
}

/** Asks for a large answer, without reading it. */
async function askedForLarge(start: Adapter['start']) {
  const { port, server, stage } = await start(TREE)
  const client = await Client.connect(port)
  client.pause()
  await client.send(requestOf('GET', '/large'))
  await stage.heard('arrived')
  await roundTrip(port)
  return { client, server, stage }
}

/** An answer of 64 MB. */
export function largeAnswerCases({ start }: Adapter): void {
  test('reads a large answer late → it arrives whole, settled once, as sent', async () => {
    const { client, server, stage } = await askedForLarge(start)
    client.resume()
    const { whole, bytes } = await client.answer()
    expect([whole, bytes.length]).toEqual([true, 64 * 1024 * 1024])
    await stage.heard('settled')
    await server.close(0)
    expect(stage.settlements).toEqual([true])
  })
}
