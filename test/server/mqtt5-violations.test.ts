/** A client of version 5 that violates the standard receives the reason, and disturbs no other client. */
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PACKET_HEADERS } from '../../src/mqtt/packet-validator.ts'
import { SESSION_LIMITS } from '../../src/mqtt/session-states.ts'
import { acknowledgementLimit } from '../../src/wire/acknowledgement.ts'
import { PASSWORD } from '../_support/clients.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { MqttUnderTest, PAYLOAD_LIMIT } from '../_support/mqtt-server.ts'

const LOGIN = { username: 'lamp', password: PASSWORD }
let server: MqttUnderTest
let other: MqttPeer
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  server = await MqttUnderTest.start({ lamp: 'DEVISE' })
  other = await MqttPeer.connect({ port: server.port, ...LOGIN })
})
afterEach(async () => {
  expect(await other.subscribe('telemetry/x')).toEqual([1])
  vi.useRealTimers()
})

/** Begin of a CONNACK with success and ten bytes of properties: what shared subscriptions and the limits are. */
const CONNACK = '\x20\x0d\0\0\x0a'
const five = (fields: object): Buffer => generate(fields as Packet, { protocolVersion: 5 })
const connect = (fields: object = {}): Buffer =>
  five({
    cmd: 'connect',
    protocolVersion: 5,
    clientId: 'raw',
    clean: true,
    keepalive: 10,
    ...LOGIN,
    ...fields,
  })
/** Inserts properties into a CONNECT that has none. Its protocol name, level, flags and keep-alive take 12 bytes with the header. */
function connectWith(properties: string): Buffer {
  const bytes = connect()
  const more = Buffer.from(properties, 'hex')
  const head = Buffer.from(bytes.subarray(0, 12))
  head[1] = (head[1] as number) + more.length
  return Buffer.concat([head, Uint8Array.of(more.length), more, bytes.subarray(13)])
}

async function loggedIn(): Promise<Client> {
  const client = await Client.connect(server.port)
  await client.send(connect())
  await client.arrived(CONNACK)
  return client
}

describe('CONNECT of version 5', () => {
  test.each([
    ['the session expiry twice', '11 00000001 11 00000001', 0x82],
    ['the receive maximum twice', '21 0001 21 0001', 0x82],
    ['a maximum packet size of 0', '27 00000000', 0x82],
    ['a request for problem information of 2', '17 02', 0x82],
    ['a property of a PUBLISH', '02 00000001', 0x82],
    ['an unknown property', '7f 01', 0x81],
    ['half a property', '11 0000', 0x81],
  ])('%s → CONNACK with a reason code', async (_name, properties, code) => {
    const client = await Client.connect(server.port)
    await client.send(connectWith(properties.replaceAll(' ', '')))
    await client.arrived(Buffer.of(0x20, 3, 0, code, 0))
    await client.closed
  })

  test('a client id with U+0001 → CONNACK 0x85', async () => {
    const client = await Client.connect(server.port)
    await client.send(connect({ clientId: 'a\x01' }))
    await client.arrived(Buffer.of(0x20, 3, 0, 0x85, 0))
    await client.closed
  })
})

describe('client of version 5', () => {
  const publish = { cmd: 'publish', topic: 'telemetry/x', payload: 'x', qos: 0 }
  test.each([
    [
      'a packet over the limit',
      five({ ...publish, payload: Buffer.alloc(acknowledgementLimit(PAYLOAD_LIMIT) + PACKET_HEADERS) }),
      0x95,
    ],
    ['a SUBSCRIBE over the limit of other packets', Buffer.from('82ffff7f', 'hex'), 0x95],
    ['a second CONNECT', connect(), 0x82],
    ['a packet of servers', Buffer.from('d000', 'hex'), 0x82],
    ['a PUBLISH of QoS 3', Buffer.from('36080001610001000078', 'hex'), 0x81],
    ['wrong header flags', Buffer.from('c100', 'hex'), 0x81],
    ['a topic with a wildcard', five({ ...publish, topic: 'telemetry/+' }), 0x81],
    ['a subscription identifier in PUBLISH', Buffer.from('3006000161020b01', 'hex'), 0x82],
    ['a response topic twice', Buffer.from('300c0001610808000162080001 62'.replace(' ', ''), 'hex'), 0x82],
    ['an unknown reason code in PUBACK', Buffer.from('400300017f', 'hex'), 0x82],
    ['a longer PUBACK than its fields', Buffer.from('400500010000ff', 'hex'), 0x81],
    ['DISCONNECT with a session expiry, CONNECT without', Buffer.from('e007000511000000ff', 'hex'), 0x82],
  ])('%s → DISCONNECT with a reason code', async (_name, bytes, code) => {
    const client = await loggedIn()
    await client.send(bytes)
    await client.arrived(Buffer.of(0xe0, 1, code))
    await client.closed
  })

  test('silence beyond the keep-alive → DISCONNECT 0x8d', async () => {
    const client = await loggedIn()
    vi.advanceTimersByTime(15_001)
    await client.arrived(Buffer.of(0xe0, 1, 0x8d))
    await client.closed
  })

  test('a violation before CONNACK → closed without DISCONNECT', async () => {
    const client = await Client.connect(server.port)
    let received = 0
    client.onBytes((total) => {
      received = total
    })
    await client.send(Buffer.concat([connect(), Buffer.from('d000', 'hex')]))
    await client.closed
    expect(received).toBe(0)
  })
})

test('CONNACK of version 5 → announces the maximum packet size and the receive maximum', async () => {
  const peer = await MqttPeer.connect({ port: server.port, ...LOGIN, protocolVersion: 5 })
  const maximumPacketSize = acknowledgementLimit(PAYLOAD_LIMIT) + PACKET_HEADERS
  expect(peer.connack.properties).toMatchObject({
    maximumPacketSize,
    receiveMaximum: SESSION_LIMITS.unreleased,
  })
})
