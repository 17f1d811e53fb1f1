/** Slow clients and malformed requests do not harm other clients. The adapter contract tests the answer to each malformed request. */
import { setInterval } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Listen } from '../../src/web/http.ts'
import { listenNodeWithLimits } from '../../src/web/node.ts'
import { NODE_LIMITS } from '../../src/web/node-connection.ts'
import { listenUws } from '../../src/web/uws.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { appOf, code } from '../_support/trees.ts'
import { BROKEN_CHUNKS, SLOPPY_CHUNKS, UNREADABLE, WRONG } from '../contract/malformed.ts'

const TREE = {
  'index.ts': code(`
    export class Echo extends Endpoint { ANY({ ...all }) { return all } }
    export class Count extends Endpoint {
      static body = 'stream'
      async POST({ body }) {
        let length = 0
        for await (const part of body) length += part.length
        return length
      }
    }`),
}
const POST = 'POST /echo HTTP/1.1\r\nhost: test\r\n'

const PACE_MS = 20

/** A slow client sends `first` at once, then `drip` again and again. */
interface Slow {
  readonly first?: string
  readonly drip?: string
}

const SLOW: Readonly<Record<string, Slow>> = {
  'says nothing': {},
  'stops in the request line': { first: 'GET /ec' },
  'stops in the headers': { first: 'GET /echo HTTP/1.1\r\nhost: te' },
  'drips blank lines': { drip: '\r\n' },
  'drips a request line': { first: 'GET /', drip: 'a' },
  'drips headers': { first: 'GET /echo HTTP/1.1\r\nhost: test\r\n', drip: 'a: b\r\n' },
  'drips the headers of a second request': { first: `${requestOf('GET', '/echo')}GET /echo`, drip: 'x' },
  'sends no body': { first: `${POST}content-length: 10\r\n\r\n` },
  'drips a body': { first: `${POST}content-length: 200000\r\n\r\n`, drip: ' ' },
  'drips chunks': { first: `${POST}transfer-encoding: chunked\r\n\r\n`, drip: '1\r\n \r\n' },
  'drips the size of a chunk': { first: `${POST}transfer-encoding: chunked\r\n\r\n`, drip: '0' },
  'drips the body to an unknown path': {
    first: 'POST /nothing HTTP/1.1\r\nhost: test\r\ncontent-length: 200000\r\n\r\n',
    drip: ' ',
  },
  'announces a chunk of 2^62 bytes': {
    first: `${POST}transfer-encoding: chunked\r\n\r\n4000000000000000\r\n{}`,
  },
}

async function drop(client: Client, drip: string): Promise<void> {
  let open = true
  void client.closed.then(() => {
    open = false
  })
  for await (const _ of setInterval(PACE_MS)) {
    if (!open) break
    await client.send(drip)
  }
}

/** @returns the statuses that came before the connection was cut */
async function sendSlowly(port: number, { first = '', drip }: Slow): Promise<number[]> {
  const client = await Client.connect(port)
  const statuses: number[] = []
  const read = (async () => {
    for (;;) statuses.push((await client.answer()).status)
  })().catch(() => {})
  if (first) await client.send(first)
  if (drip) void drop(client, drip)
  await client.closed
  await read
  return statuses
}

/** Node's limits, made short. The test of the documents compares the real ones with the README. */
const SHORT = {
  ...NODE_LIMITS,
  headersTimeoutMs: 400,
  requestTimeoutMs: 800,
  keepAliveTimeoutMs: 400,
  checkIntervalMs: 50,
}

/** The limits of uws cannot be set: it closes after about ten seconds, without an answer. */
const [listen, statusesOfSlow]: [Listen, number[]] =
  ADAPTER === 'node' ? [listenNodeWithLimits(SHORT), [408]] : [listenUws, []]

test(`slow clients, ${ADAPTER}: others send requests → others are answered, slow ones are cut off but for streams`, async () => {
  const { app, log } = await appOf(TREE)
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close(0))
  let running = true
  const stream = await Client.connect(server.port)
  await stream.send('POST /count HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n\r\n')
  let sent = 0
  const slow = Promise.all(
    Object.entries(SLOW).map(
      async ([what, client]) => [what, await sendSlowly(server.port, client)] as const,
    ),
  ).finally(() => {
    running = false
  })
  for await (const _ of setInterval(PACE_MS)) {
    expect((await request(server.port, 'GET', '/echo?a=1')).json()).toEqual({ a: '1' })
    await stream.send('1\r\nx\r\n')
    sent++
    if (!running) break
  }
  await stream.send('0\r\n\r\n')
  expect((await stream.answer()).json()).toBe(sent)
  expect(Object.fromEntries(await slow)).toEqual({
    ...Object.fromEntries(Object.keys(SLOW).map((what) => [what, statusesOfSlow])),
    'drips the headers of a second request': [200, ...statusesOfSlow],
    'drips the body to an unknown path': [404],
  })
  expect(log.lines).toEqual([])
})

test(`malformed requests, ${ADAPTER}: many at once → messages are delivered as before`, async () => {
  const broker = await BrokerUnderTest.start()
  const before = await broker.send('pump', { command: 'before' })
  const storm = [UNREADABLE, WRONG, BROKEN_CHUNKS, SLOPPY_CHUNKS].flatMap((table) => Object.values(table))
  await Promise.all(
    storm.map(async (bytes) => {
      const client = await Client.connect(broker.port)
      await client.send(bytes)
    }),
  )
  const behind = await broker.send('pump', { command: 'behind' })
  expect(await broker.next('pump')).toBe(before)
  await broker.acknowledge('pump', { id: before })
  expect(await broker.next('pump')).toBe(behind)
  expect(broker.server.log.filter(({ level }) => level === 'error')).toEqual([])
})
