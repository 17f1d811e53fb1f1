/** Part of the adapter contract: an error as problem details (RFC 9457), for a request that accepts them. */
import { expect, test } from 'vitest'
import { type Answer, Client, requestOf } from '../_support/http.ts'
import { code } from '../_support/trees.ts'
import type { Adapter, Site } from './adapter.ts'

const TREE = {
  'index.ts': code(`
    class Gone extends Error { code = 'gone'; params = { pump: 7 }; left = 2 }
    export class Own extends Endpoint { GET() { throw new HttpError(409, 'Too late.', { code: 'late', params: { by: 3 } }) } }
    export class Nameless extends Endpoint { GET() { throw new HttpError(404, 'Nothing.') } }
    export class Tabled extends Endpoint { async GET() { throw new Gone('It is gone.') } }
    export class Broken extends Endpoint { GET() { throw new Error('secret') } }
    export class Count extends Endpoint { static positionals = { GET: [Type.Integer()] }; GET(id) { return id }; PUT({ text = '' }) { return text } }
    export class Slow extends Endpoint {
      async GET() {
        this.services.stage.say('arrived')
        await this.services.stage.heard('go')
      }
    }`),
  '_services.ts': `
    export const open = ({ stage }) => ({ stage })
    export const bareErrors = [404]
    export const errors = { gone: { status: 410, when: 'it is gone', fields: ({ left }) => ({ left, code: 'no' }) } }`,
}
const ACCEPT = { accept: 'application/json, application/problem+json' }

export function problemCases({ start }: Adapter): void {
  const startIt = (): Promise<Site> => start(TREE, { bodyLimit: 100, problems: true })

  async function answerTo({ port }: Site, ...args: Parameters<typeof requestOf>): Promise<Answer> {
    const client = await Client.connect(port)
    await client.send(requestOf(...args))
    return client.answer()
  }

  test.each([
    ['/own', { title: 'Conflict', status: 409, detail: 'Too late.', code: 'late', params: { by: 3 } }],
    ['/nameless', { title: 'Not Found', status: 404, detail: 'Nothing.' }],
    [
      '/tabled',
      { title: 'Gone', status: 410, detail: 'It is gone.', code: 'gone', params: { pump: 7 }, left: 2 },
    ],
  ])('%s → its code, its values and its fields', async (path, body) => {
    const answer = await answerTo(await startIt(), 'GET', path, { headers: ACCEPT })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect([answer.status, answer.json()]).toEqual([body.status, body])
  })

  test.each([
    ['/broken', 500, 'unexpected'],
    ['/nothing', 404, 'unknown-path'],
    ['/count/one', 400, 'bad-positional'],
    ['/%', 400, 'bad-encoding'],
  ])('GET %s → %i with the code of the framework', async (path, status, code) => {
    const answer = await answerTo(await startIt(), 'GET', path, { headers: ACCEPT })
    expect([answer.status, answer.json()]).toMatchObject([status, { status, code }])
  })

  test.each([
    ['announced', {}],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('a body that is too large, %s → 413 with its code', async (_how, headers) => {
    const { port } = await startIt()
    const client = await Client.connect(port)
    const isChunked = 'transfer-encoding' in headers
    const text = 'x'.repeat(101)
    await client.send(
      requestOf('PUT', '/count', { headers: { ...ACCEPT, ...headers }, ...(!isChunked && { body: text }) }),
    )
    if (isChunked) await client.send(`65\r\n${text}\r\n0\r\n\r\n`)
    expect((await client.answer()).json()).toMatchObject({ code: 'too-large', params: { bytes: 100 } })
  })

  test('a malformed request whose headers can be read → its code', async () => {
    const { port } = await startIt()
    const client = await Client.connect(port)
    await client.send('GET /own HTTP/1.1\r\nhost: a\r\nhost: b\r\naccept: application/problem+json\r\n\r\n')
    expect((await client.answer()).json()).toMatchObject({ status: 400, code: 'bad-request' })
  })

  test('a server that closes → 503 with its code', async () => {
    const { port, server, stage } = await startIt()
    const slow = await Client.connect(port)
    await slow.send(requestOf('GET', '/slow'))
    await stage.heard('arrived')
    const client = await Client.connect(port)
    await client.send('GET /own HTTP/1.1\r\naccept: application/problem+json\r\nho')
    const other = await Client.connect(port)
    await other.send(requestOf('GET', '/nothing'))
    await other.answer()
    const closed = server.close(60_000)
    await client.send('st: test\r\n\r\n')
    expect((await client.answer()).json()).toMatchObject({ status: 503, code: 'closing' })
    stage.say('go')
    await closed
  })

  test.each([
    ['no Accept', {}],
    ['a wildcard', { accept: '*/*' }],
    ['JSON alone', { accept: 'application/json' }],
  ])('%s → the plain body', async (_what, headers) => {
    const answer = await answerTo(await startIt(), 'GET', '/own', { headers })
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.text()).toBe('{"error":"Conflict","message":"Too late."}')
  })

  test('an app without the option → the plain body', async () => {
    const answer = await answerTo(await start(TREE), 'GET', '/own', { headers: ACCEPT })
    expect(answer.text()).toBe('{"error":"Conflict","message":"Too late."}')
  })
}
