/** Part of the adapter contract: what an observer receives of each exchange. */
import { expect, test } from 'vitest'
import type { Observe } from '../../src/web/types.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import { openSocket } from '../_support/web-socket.ts'
import type { Adapter } from './adapter.ts'

const TREE = {
  '_services.ts': `
    export const open = ({ stage }) => ({ stage })
    export const authenticate = (_services, header) => header === 'Bearer good' ? { id: 'ada', roles: ['MAN'] } : null`,
  'devices.ts': code(`
    export class Default extends Endpoint {
      static access = 'any'
      GET(id, part = '') { return [id, part] }
      POST({ body }) { return body.length }
      static body = { POST: 'raw' }
      static bodyLimit = { POST: 100 }
    }
    export class Settings extends Endpoint {
      static access = 'public'
      static member = 1
      async PUT(id) { return id }
    }
    export class Broken extends Endpoint {
      static access = 'public'
      GET() { throw new Error('broken') }
    }
    export class Stream extends Endpoint {
      static access = 'public'
      async *GET(...path) { yield 'one'; yield 'two' }
    }
    export class Left extends Endpoint {
      static access = 'public'
      async GET() {
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
        this.services.stage.say('gone')
      }
    }
    export class Chat extends Endpoint {
      static access = 'any'
      CONNECT(room) {}
    }`),
}

const TOKEN = { headers: { authorization: 'Bearer good' } }

export function observerCases({ start }: Adapter): void {
  const observed = async () => {
    const lines: string[] = []
    const times: number[] = []
    const observe: Observe = ({ method, path, route, identity }, status, ms) => {
      lines.push([method, path, route, status, identity?.id ?? '-'].join(' '))
      times.push(ms)
    }
    const addresses: string[] = []
    const observers: Observe[] = [observe, (head) => addresses.push(head.remote())]
    return { ...(await start(TREE, { observers })), lines, times, addresses }
  }

  test('answers, refusals and errors → one call each, with route and caller', async () => {
    const { port, lines, times, addresses } = await observed()
    await request(port, 'GET', '/devices/p1?secret=1', TOKEN)
    await request(port, 'HEAD', '/devices/p1/valve', TOKEN)
    await request(port, 'GET', '/devices/p1')
    await request(port, 'PUT', '/devices/p1/settings')
    await request(port, 'GET', '/devices/stream/a/b/c')
    await request(port, 'GET', '/devices/broken')
    await request(port, 'GET', '/nowhere/else')
    await request(port, 'DELETE', '/devices/broken')
    await request(port, 'OPTIONS', '/devices/broken')
    expect(lines).toEqual([
      'GET /devices/p1 /devices/{id} 200 ada',
      'HEAD /devices/p1/valve /devices/{id}/{part} 200 ada',
      'GET /devices/p1 /devices/{id} 401 -',
      'PUT /devices/p1/settings /devices/{id}/settings 200 -',
      'GET /devices/stream/a/b/c /devices/stream/{path} 200 -',
      'GET /devices/broken /devices/broken 500 -',
      'GET /nowhere/else  404 -',
      'DELETE /devices/broken  405 -',
      'OPTIONS /devices/broken  204 -',
    ])
    expect(times.every((ms) => ms >= 0)).toBe(true)
    expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']))
  })

  test('a body above the limit, declared or in chunks → one call each', async () => {
    const { port, lines } = await observed()
    await request(port, 'POST', '/devices', { ...TOKEN, body: Buffer.alloc(50) })
    await request(port, 'POST', '/devices', { ...TOKEN, body: Buffer.alloc(101) })
    const client = await Client.connect(port)
    const head =
      'POST /devices HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nTransfer-Encoding: chunked'
    await client.send(Buffer.from(`${head}\r\n\r\n65\r\n${'x'.repeat(101)}\r\n0\r\n\r\n`))
    await client.answer()
    expect(lines).toEqual([
      'POST /devices /devices 200 ada',
      'POST /devices /devices 413 ada',
      'POST /devices /devices 413 ada',
    ])
  })

  test('a client that leaves before its answer → one call', async () => {
    const { port, stage, lines, server } = await observed()
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/devices/left'))
    await stage.heard('arrived')
    await client.leave()
    stage.say('go')
    await stage.heard('gone')
    await server.close(0)
    expect(lines).toEqual(['GET /devices/left /devices/left 204 -'])
  })

  test('a WebSocket → a call for a refusal, none for an accepted one', async () => {
    const { port, lines } = await observed()
    await expect(openSocket(port, '/devices/chat/1')).rejects.toThrow()
    const socket = await openSocket(port, '/devices/chat/1', TOKEN.headers)
    await socket.close()
    expect(lines).toEqual(['GET /devices/chat/1 /devices/chat/{room} 401 -'])
  })
}
