/** Behind a trusted proxy, lock-outs, lists and handlers see the address of the client. */
import { describe, expect, test } from 'vitest'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { type Answer, Client, requestOf } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'

async function start(trusted: string): Promise<BrokerUnderTest> {
  const dataDir = await withClients('lamp')
  return BrokerUnderTest.start({ dataDir, mqtt: true, env: { WAYBILL_TRUSTED_PROXIES: trusted } })
}

/** Logs in with a header X-Forwarded-For; several values make several headers. */
async function login(broker: BrokerUnderTest, password: string, ...forwardedFor: string[]): Promise<Answer> {
  const request = requestOf('POST', '/auth/login', { body: { deviseId: 'lamp', password } }).toString()
  const headers = forwardedFor.map((value) => `X-Forwarded-For: ${value}\r\n`).join('')
  const client = await Client.connect(broker.port)
  await client.send(request.replace('\r\n', `\r\n${headers}`))
  return client.answer()
}

async function lockOut(broker: BrokerUnderTest, ...forwardedFor: string[]): Promise<void> {
  for (let i = 0; i < LOGIN_FAILURES.allowed; i++)
    expect((await login(broker, `guess ${i}`, ...forwardedFor)).status).toBe(401)
  expect((await login(broker, 'guess', ...forwardedFor)).status).toBe(429)
}

const refusedAddresses = async (broker: BrokerUnderTest): Promise<string[]> => {
  const { body } = await broker.rest.get('/admin/api/connections/refusals')
  return [...new Set((body as { address: string }[]).map(({ address }) => address))]
}

describe(`adapter ${ADAPTER}`, () => {
  test('lock-out: behind a trusted proxy → one address only', async () => {
    const broker = await start('127.0.0.0/8')
    await lockOut(broker, '203.0.113.5')
    expect((await login(broker, PASSWORD, '203.0.113.5')).status).toBe(429)
    expect((await login(broker, PASSWORD, '203.0.113.6')).status).toBe(200)
    // A login elsewhere does not let guesses through here.
    expect((await login(broker, PASSWORD, '203.0.113.5')).status).toBe(429)
    expect(await refusedAddresses(broker)).toEqual(['203.0.113.5'])
  })

  test('lock-out: IPv6 addresses of one /64 → count together, those of another do not', async () => {
    const broker = await start('127.0.0.1')
    await lockOut(broker, '2001:db8::1')
    expect((await login(broker, PASSWORD, '2001:db8::2')).status).toBe(429)
    expect((await login(broker, PASSWORD, '2001:db8:0:1::2')).status).toBe(200)
  })

  test('lock-out: two proxies, a header of each → the address before the last trusted one', async () => {
    const broker = await start('127.0.0.1,10.0.0.0/8')
    await lockOut(broker, '198.51.100.1, 203.0.113.5', '10.1.1.1')
    expect((await login(broker, PASSWORD, '203.0.113.5')).status).toBe(429)
    expect((await login(broker, PASSWORD, '198.51.100.1')).status).toBe(200)
  })

  test('lock-out: the header comes from an untrusted peer → ignored', async () => {
    const broker = await start('192.0.2.7')
    for (let i = 0; i < LOGIN_FAILURES.allowed; i++)
      expect((await login(broker, `guess ${i}`, `203.0.113.${i}`)).status).toBe(401)
    expect((await login(broker, PASSWORD, '203.0.113.99')).status).toBe(429)
    expect(await refusedAddresses(broker)).toEqual(['127.0.0.1'])
  })

  test('MQTT over WebSocket behind a trusted proxy → the connection has the address of the client', async () => {
    const broker = await start('127.0.0.1')
    await MqttPeer.connect({
      port: broker.port,
      protocol: 'ws',
      path: '/mqtt',
      wsOptions: { headers: { 'x-forwarded-for': '203.0.113.5' } },
      username: 'lamp',
      password: PASSWORD,
    })
    const { body } = await broker.rest.get('/admin/api/connections')
    expect(body).toMatchObject([{ deviseId: 'lamp', address: '203.0.113.5' }])
  })
})
