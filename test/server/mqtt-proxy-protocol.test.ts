/** A client behind a trusted proxy has its own address with mqtt.proxy-protocol. No other peer may send a header. */
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { MQTT_LIMITS } from '../../src/mqtt/server.ts'
import { ConnectionLimit } from '../../src/net/connection-limit.ts'
import { listenTcp } from '../../src/net/listener.ts'
import { PROXY_HEADER_LIMITS } from '../../src/net/proxy-header.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { proxyHeader, tlv } from '../_support/proxy-header.ts'

const ACCEPTED = '\x20\x02\0\0'
const SERVER_UNAVAILABLE = '\x20\x02\0\x03'
const NOT_AUTHORIZED = '\x20\x02\0\x04'

async function start(env: Readonly<Record<string, string>> = {}): Promise<BrokerUnderTest> {
  const trusted = { WAYBILL_TRUSTED_PROXIES: '127.0.0.1', MQTT_PROXY_PROTOCOL: 'true' }
  return BrokerUnderTest.start({
    dataDir: await withClients('lamp'),
    mqtt: true,
    env: { ...trusted, ...env },
  })
}

const packet = (fields: object): Buffer => generate(fields as Packet)
const connect = (password = PASSWORD): Buffer =>
  packet({ cmd: 'connect', clientId: 'raw', clean: true, keepalive: 0, username: 'lamp', password })

/** Sends each part as a packet of its own. */
async function send(broker: BrokerUnderTest, ...parts: Uint8Array[]): Promise<Client> {
  const client = await Client.connect(broker.mqttPort)
  await client.sendParts(parts)
  return client
}

const addresses = async (broker: BrokerUnderTest, list = 'connections'): Promise<string[]> => {
  const { body } = await broker.rest.get(`/admin/api/${list}`)
  return (body as { address: string }[]).map(({ address }) => address)
}

describe('a trusted proxy', () => {
  const bytes = (buffer: Buffer): Buffer[] => [...buffer].map((byte) => Buffer.from([byte]))
  const header = proxyHeader()

  test.each<[string, Buffer[]]>([
    ['then CONNECT', [header, connect()]],
    ['together with CONNECT', [Buffer.concat([header, connect()])]],
    ['byte by byte', bytes(Buffer.concat([header, connect()]))],
    ['cut in the signature', [header.subarray(0, 5), Buffer.concat([header.subarray(5), connect()])]],
    ['cut in CONNECT', [Buffer.concat([header, connect().subarray(0, 9)]), connect().subarray(9)]],
    ['with TLVs', [proxyHeader({ tlvs: tlv(0x04, Buffer.alloc(1_000)) }), connect()]],
  ])('header %s → the address of the client', async (_name, parts) => {
    const broker = await start()
    const client = await send(broker, ...parts)
    await client.arrived(ACCEPTED)
    expect(await addresses(broker)).toEqual(['203.0.113.5'])

    await client.send(packet({ cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: 'x', qos: 0 }] }))
    await client.arrived(Buffer.from('90030007', 'hex'))
  })

  test.each([
    ['of IPv6', proxyHeader({ source: '2001:db8::5' }), '2001:db8::5'],
    ['of an IPv4-mapped address', proxyHeader({ source: '::ffff:203.0.113.5' }), '203.0.113.5'],
    ['LOCAL', proxyHeader({ command: 0x20 }), '127.0.0.1'],
    ['without a family', proxyHeader({ family: 0 }), '127.0.0.1'],
  ])('header %s → the address', async (_name, header, address) => {
    const broker = await start()
    const client = await send(broker, header, connect())
    await client.arrived(ACCEPTED)
    expect(await addresses(broker)).toEqual([address])
  })

  test('ten wrong passwords of one client → refused with its address, others may log in', async () => {
    const broker = await start()
    for (let i = 0; i < LOGIN_FAILURES.allowed; i++)
      await (await send(broker, header, connect(`guess ${i}`))).arrived(NOT_AUTHORIZED)
    await (await send(broker, header, connect())).arrived(SERVER_UNAVAILABLE)
    await (await send(broker, proxyHeader({ source: '203.0.113.6' }), connect())).arrived(ACCEPTED)
    expect(new Set(await addresses(broker, 'connections/refusals'))).toEqual(new Set(['203.0.113.5']))
  })

  test.each([
    ['no header', connect(), /sent no PROXY protocol header/],
    ['version 1', Buffer.from('PROXY TCP4 203.0.113.5 127.0.0.1 50000 1883\r\n'), /of version 1/],
    ['version 3', proxyHeader({ command: 0x31 }), /version 3/],
    ['too long', proxyHeader({ length: PROXY_HEADER_LIMITS.bodyBytes + 1 }), /at most 4096/],
    ['too short for its addresses', proxyHeader({ length: 4 }), /4 bytes for addresses of 12/],
    ['a second header', Buffer.concat([header, header]), /does not accept headers from its address/],
  ])('%s → closed, a protocol error', async (_name, bytes, message) => {
    const broker = await start()
    const client = await send(broker, bytes)
    await client.closed
    const { body } = await broker.rest.get('/admin/api/connections/refusals')
    expect(body).toMatchObject([{ reason: 'PROTOCOL_ERROR', message: expect.stringMatching(message) }])
    await (await send(broker, header, connect())).arrived(ACCEPTED)
  })

  test('a header that is cut off, a connection without a byte → others are served, the stop does not wait', async () => {
    const broker = await start()
    const cut = await send(broker, header.subarray(0, 20))
    await cut.leave()
    await send(broker, header.subarray(0, 27))
    await send(broker)
    await (await send(broker, header, connect())).arrived(ACCEPTED)
    expect(await addresses(broker, 'connections/refusals')).toEqual([])
    await broker.server.kill()
  })

  test('a waiting header → counts for mqtt.max-connections', async () => {
    const broker = await start({ MQTT_MAX_CONNECTIONS: '1' })
    const waiting = await send(broker)
    await (await send(broker, header, connect())).closed
    await waiting.leave()
    await eventually(async () => (await send(broker, header, connect())).arrived(ACCEPTED))
  })

  test('MQTT over WebSocket → X-Forwarded-For, no header', async () => {
    const broker = await start()
    await MqttPeer.connect({
      ...{ port: broker.port, protocol: 'ws', path: '/mqtt', username: 'lamp', password: PASSWORD },
      wsOptions: { headers: { 'x-forwarded-for': '203.0.113.9' } },
    })
    expect(await addresses(broker)).toEqual(['203.0.113.9'])
  })
})

describe.each<[string, Readonly<Record<string, string>>]>([
  ['another peer', { WAYBILL_TRUSTED_PROXIES: '192.0.2.7' }],
  ['the setting is off', { MQTT_PROXY_PROTOCOL: 'false' }],
])('%s', (_name, env) => {
  test('no header → served with the address of the peer', async () => {
    const broker = await start(env)
    await (await send(broker, connect())).arrived(ACCEPTED)
    expect(await addresses(broker)).toEqual(['127.0.0.1'])
  })

  test('a header → closed, a protocol error of the peer that names the settings', async () => {
    const broker = await start(env)
    await (await send(broker, proxyHeader(), connect())).closed
    const { body } = await broker.rest.get('/admin/api/connections/refusals')
    const message = expect.stringMatching(
      /PROXY protocol header.*mqtt\.proxy-protocol.*server\.trusted-proxies/,
    )
    expect(body).toMatchObject([{ reason: 'PROTOCOL_ERROR', address: '127.0.0.1', message }])
  })
})

describe('time limit', () => {
  afterEach(() => void vi.useRealTimers())

  test('no whole header in the time for a CONNECT → closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const limit = new ConnectionLimit({ name: 'MQTT', maximum: 9, setting: '', log: { warn() {} } })
    const proxies = { trusts: () => true }
    const timeoutMs = MQTT_LIMITS.connectTimeoutMs
    const proxyOptions = { proxies, timeoutMs, onInvalid: () => expect.fail('no header is invalid') }
    const options = { name: 'MQTT', flag: '--mqtt', host: '127.0.0.1', port: 0, tls: null, limit }
    const accepted: string[] = []
    const listener = await listenTcp({ ...options, proxyHeader: proxyOptions }, (socket, remote) => {
      accepted.push(remote)
      socket.end('hello')
    })
    whenDone(() => listener.close())
    const silent = await Client.connect(listener.port)
    const slow = await Client.connect(listener.port)
    await slow.send(proxyHeader().subarray(0, 27))
    const whole = await Client.connect(listener.port)
    await whole.send(proxyHeader())
    await whole.arrived('hello')
    vi.advanceTimersByTime(timeoutMs)
    await silent.closed
    await slow.closed
    expect(accepted).toEqual(['203.0.113.5'])
  })
})
