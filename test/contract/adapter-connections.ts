/** Part of the adapter contract: several requests on one connection. */
import { expect, test } from 'vitest'
import { Client, request, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter } from './adapter.ts'

const TREE = {
  'index.ts': code(`
    export class Echo extends Endpoint {
      GET(text) { return text }
      POST({ ...all }) { return all }
    }
    export class Slow extends Endpoint {
      async GET() {
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
        return 'slow'
      }
    }
    export class Next extends Endpoint { async GET(text) { return text } }`),
}

export function connectionCases({ start, differences }: Adapter): void {
  test('requests one after the other → each is answered', async () => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    for (let i = 0; i < 5; i++) {
      await client.send(requestOf('GET', `/echo/${i}`))
      expect((await client.answer()).json()).toBe(String(i))
      await client.send(requestOf('POST', '/echo', { body: { i } }))
      expect((await client.answer()).json()).toEqual({ i })
    }
  })

  test.each([
    ['404', '/nothing', 404],
    ['405', '/next/a', 405],
    ['a body that does not parse', '/echo', 400],
  ])('after %s with a small body → the connection answers the next request', async (_, target, status) => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('POST', target, { body: 'GET /echo/smuggled HTTP/1.1\r\nhost: x\r\n\r\n' }))
    expect((await client.answer()).status).toBe(status)
    await client.send(requestOf('GET', '/echo/next'))
    expect((await client.answer()).json()).toBe('next')
  })

  test('after an error to HEAD → no body, the connection answers the next request', async () => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('HEAD', '/nothing'))
    expect((await client.answer('HEAD')).status).toBe(404)
    await client.send(requestOf('GET', '/echo/next'))
    const next = await client.answer()
    expect([next.status, next.json()]).toEqual([200, 'next'])
  })

  test('a refused body arrives after its refusal → the connection answers the next request', async () => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    const bytes = requestOf('POST', '/nothing', { body: { late: true } })
    await client.send(bytes.subarray(0, -5))
    expect((await client.answer()).status).toBe(404)
    await client.send(bytes.subarray(-5) + String(requestOf('GET', '/echo/next')))
    expect((await client.answer()).json()).toBe('next')
  })

  test('a request with Connection: close → answered, then the connection ends', async () => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    await client.send(requestOf('GET', '/echo/last', { headers: { connection: 'close' } }))
    expect((await client.answer()).json()).toBe('last')
    await client.closed
  })

  test('three requests in one packet → answered in order', async () => {
    const { port } = await start(TREE)
    const client = await Client.connect(port)
    const three = [
      requestOf('POST', '/echo', { body: { n: 1 } }),
      requestOf('GET', '/echo/2'),
      requestOf('POST', '/echo', { body: { n: 3 } }),
    ]
    await client.send(Buffer.concat(three))
    expect((await client.answer()).json()).toEqual({ n: 1 })
    expect((await client.answer()).json()).toBe('2')
    expect((await client.answer()).json()).toEqual({ n: 3 })
  })

  const late = differences.closesOnLatePipelining
  test(`a request behind a slow one → ${late ? `the connection ends (${late})` : 'answered after it'}`, async () => {
    const { port, stage } = await start(TREE)
    const client = await Client.connect(port)
    const three = [requestOf('GET', '/slow'), requestOf('GET', '/echo/2'), requestOf('GET', '/next/3')]
    await client.send(Buffer.concat(three))
    await stage.heard('arrived')
    if (late) {
      await expect(client.answer()).rejects.toThrow('without an answer')
      stage.say('go')
      expect((await request(port, 'GET', '/echo/alive')).json()).toBe('alive')
      return
    }
    stage.say('go')
    const answers = [await client.answer(), await client.answer(), await client.answer()]
    expect(answers.map((answer) => answer.json())).toEqual(['slow', '2', '3'])
  })

  test('one connection waits → another one is answered', async () => {
    const { port, stage } = await start(TREE)
    const slow = request(port, 'GET', '/slow')
    await stage.heard('arrived')
    expect((await request(port, 'GET', '/echo/quick')).json()).toBe('quick')
    stage.say('go')
    expect((await slow).json()).toBe('slow')
  })
}
