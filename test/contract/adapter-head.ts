/** Part of the adapter contract: an answer to HEAD has no body, from the handler, the framework or the adapter. */
import { expect, test } from 'vitest'
import { Client, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter } from './adapter.ts'

const TREE = {
  'index.ts': code(`
    export class Value extends Endpoint { GET() { return 'GET' } }
    export class Stream extends Endpoint { async *GET() { yield '"one"' } }
    export class Slow extends Endpoint {
      async GET() {
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
      }
    }`),
}

const CHUNKED = { 'transfer-encoding': 'chunked' }

export function headCases({ start }: Adapter): void {
  /** Expects a status and no body. An answer leaves in one piece, so a body would have arrived with it. */
  async function expectHead(client: Client, status: number): Promise<void> {
    expect((await client.answer('HEAD')).status).toBe(status)
    await client.leave()
    await expect(client.arrived('"')).rejects.toThrow('ended without')
  }

  test.each([
    ['a value', requestOf('HEAD', '/value'), 200],
    ['a stream', requestOf('HEAD', '/stream'), 200],
    ['a path that nothing answers', requestOf('HEAD', '/nothing'), 404],
    ['a body announced as too large', requestOf('HEAD', '/value', { body: 'x'.repeat(101) }), 413],
    ['a body that becomes too large', requestOf('HEAD', '/value', { headers: CHUNKED }), 413],
    ['a malformed request', 'HEAD /value HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', 400],
  ])('%s → no body', async (_what, bytes, status) => {
    const { port } = await start(TREE, { bodyLimit: 100 })
    const client = await Client.connect(port)
    await client.send(bytes)
    if (bytes.includes('chunked')) await client.send(`65\r\n${'x'.repeat(101)}\r\n0\r\n\r\n`)
    await expectHead(client, status)
  })

  test('a server that closes → 503 without a body', async () => {
    const { port, server, stage } = await start(TREE)
    const slow = await Client.connect(port)
    await slow.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    const client = await Client.connect(port)
    await client.send('HEAD /value HTTP/1.1\r\nho')
    const other = await Client.connect(port)
    await other.send(requestOf('GET', '/value'))
    await other.answer()
    const closed = server.close(60_000)
    await client.send('st: test\r\n\r\n')
    await expectHead(client, 503)
    stage.say('go')
    await closed
  })
}
