/** Pages of other origins can do nothing while access checks are off; programs and the own page work as before. */
import { beforeAll, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'
import { request } from '../_support/http.ts'
import { startInProcess } from '../_support/in-process.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const CORS = 'https://app.example'
const start = (env: Record<string, string> = {}): Promise<BrokerUnderTest> =>
  BrokerUnderTest.start({ mqtt: true, env: { WAYBILL_CORS_ORIGINS: CORS, ...env } })
const permitAll = (env: Record<string, string> = {}) => start({ APP_SECURITY_PERMIT_ALL: 'true', ...env })

/** Headers of a request, of which `PORT` stands for the port of the server, and its status. */
type Case = readonly [what: string, headers: Readonly<Record<string, string>>, status: number]

const CASES: readonly Case[] = [
  ['a program', {}, 200],
  ['a program that names its fetch', { 'sec-fetch-mode': 'cors' }, 200],
  ['the own page', { origin: 'http://127.0.0.1:PORT', 'sec-fetch-site': 'same-origin' }, 200],
  ['the own page as localhost', { host: 'localhost:PORT', origin: 'http://localhost:PORT' }, 200],
  ['a page that CORS allows', { origin: CORS, 'sec-fetch-site': 'cross-site' }, 200],
  ['an address that was typed', { 'sec-fetch-site': 'none' }, 200],
  ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
  ['a page of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, 403],
  ['a page of another name of this machine', { origin: 'http://localhost:PORT' }, 403],
  ['a page with a longer name', { origin: `${CORS}.evil.example` }, 403],
  ['a file, or a sandboxed frame', { origin: 'null' }, 403],
  ['an origin that is none', { origin: 'evil' }, 403],
  ['an image or a link of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['an image or a link of another port', { 'sec-fetch-site': 'same-site' }, 403],
  ['IPv6', { host: '[::1]:PORT' }, 200],
  ['another loopback address', { host: '127.8.9.1' }, 200],
  ['a name below localhost', { host: 'waybill.localhost:PORT' }, 200],
  ['a name that leads to loopback', { host: 'rebind.example:PORT' }, 421],
  ['its page', { host: 'rebind.example:PORT', origin: 'http://rebind.example:PORT' }, 421],
  ['a name that begins like loopback', { host: '127.0.0.1.evil.example' }, 421],
  ['a name that ends like loopback', { host: 'evil-localhost:PORT' }, 421],
  ['another address', { host: '10.0.0.1:PORT' }, 421],
  ['no name', { host: 'a b' }, 421],
  ['a name that CORS allows', { host: 'app.example' }, 200],
]

const given = (headers: Case[1], port: number) =>
  Object.fromEntries(
    Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => [
      name,
      value.replace('PORT', String(port)),
    ]),
  )

/** Returns the status of the answer to a request for a WebSocket of MQTT. */
function webSocketStatus(port: number, headers: Case[1]): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, ['mqtt'], { headers: given(headers, port) })
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.terminate()
      resolve(200)
    })
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      socket.terminate()
      resolve(statusCode)
    })
    socket.on('error', reject)
  })
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await permitAll()
  })

  test.each(CASES)('checks off: a command by %s (%j) → %i', async (_what, headers, expected) => {
    const options = { headers: given(headers, broker.port), body: '{"command":"on"}' }
    const answer = await request(broker.port, 'PUT', '/producer/request/lamp', {
      ...options,
      headers: { ...options.headers, 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(expected)
    const read = await request(broker.port, 'GET', '/consumer/getLastMessage/x', {
      headers: given(headers, broker.port),
    })
    expect(read.status).toBe(expected)
  })

  test.each(CASES)('checks off: MQTT over WebSocket by %s (%j) → %i', async (_what, headers, expected) => {
    expect(await webSocketStatus(broker.port, headers)).toBe(expected)
  })

  test('checks off: a form of another page → 403 that says what to do, no client', async () => {
    const { status, json } = await request(broker.port, 'POST', '/admin/api/clients', {
      headers: {
        ...{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
        ...{ host: `127.0.0.1:${broker.port}`, 'content-type': 'application/x-www-form-urlencoded' },
      },
      body: 'deviseId=eve&password=eve&role=MAN',
    })
    expect([status, json()]).toMatchObject([403, { message: expect.stringContaining('server.cors-origins') }])
    const clients = (await broker.rest.get('/admin/api/clients')).body as { deviseId: string }[]
    expect(clients.map(({ deviseId }) => deviseId)).toEqual(['admin'])
  })

  test('checks off: the page and a client library over WebSocket → work', async () => {
    expect((await fetch(broker.server.url)).status).toBe(200)
    const peer = await MqttPeer.connect({
      port: broker.port,
      protocol: 'ws',
      path: '/mqtt',
      username: 'lamp',
    })
    await peer.publish('producer/request/radio', { command: 'on' })
    expect(await broker.next('radio')).toBeGreaterThan(0)
  })
})

test('checks off, cors-origins *: every page, under every name → 200', async () => {
  const { port } = await permitAll({ WAYBILL_CORS_ORIGINS: '*' })
  for (const [, headers] of CASES.filter(([what]) => what !== 'no name')) {
    const { status } = await request(port, 'GET', '/livez', { headers: given(headers, port) })
    expect(status).toBe(200)
  }
})

test('checks off on an address that is not loopback: any name → 200; a foreign page → 403', async () => {
  const env = { APP_SECURITY_PERMIT_ALL: 'true', APP_SECURITY_PERMIT_ALL_EXPOSED: 'true' }
  const flags = { adapter: ADAPTER, host: '0.0.0.0:0' }
  const { url } = await startInProcess({ flags, env, dataDir: await withClients() })
  const ask = async (headers: Record<string, string>) =>
    (await request(Number(new URL(url).port), 'GET', '/livez', { headers })).status
  expect(await ask({ host: 'waybill:8080' })).toBe(200)
  expect(await ask({ host: 'waybill:8080', origin: 'http://waybill:8080' })).toBe(200)
  expect(await ask({ host: 'waybill:8080', origin: 'http://other:8080' })).toBe(403)
})

test('checks on: a foreign page, another name → as before', async () => {
  const { port } = await start()
  for (const [, headers] of CASES.filter(([what]) => what !== 'no name')) {
    const { status } = await request(port, 'GET', '/livez', { headers: given(headers, port) })
    expect(status).toBe(200)
  }
  expect(await webSocketStatus(port, { origin: 'https://evil.example' })).toBe(200)
})
