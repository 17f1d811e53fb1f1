/** Forbidden or malformed packets end the connection that sent them; other connections stay. */
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MQTT_LIMITS } from '../../src/mqtt/server.ts'
import { PASSWORD } from '../_support/clients.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { MqttUnderTest } from '../_support/mqtt-server.ts'

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

const packet = (fields: object): Buffer => generate(fields as Packet)

async function loggedIn(): Promise<Client> {
  const client = await Client.connect(server.port)
  await client.send(packet({ cmd: 'connect', clientId: 'raw', clean: true, keepalive: 0, ...LOGIN }))
  await client.arrived('\x20\x02\0\0')
  return client
}

test('CONNECT: an unknown protocol level → CONNACK 1', async () => {
  const client = await Client.connect(server.port)
  await client.send(Buffer.from('100d00044d51545406020000000163', 'hex'))
  await client.arrived('\x20\x02\0\x01')
  await client.closed
})

test('CONNECT: absent or incomplete until the time-out → closed', async () => {
  const silent = await Client.connect(server.port)
  const slow = await Client.connect(server.port)
  const connect = packet({ cmd: 'connect', clientId: 'slow', clean: true, keepalive: 0, ...LOGIN })
  await slow.send(connect.subarray(0, 20))
  // Both are accepted before this one, which is answered.
  await loggedIn()
  vi.advanceTimersByTime(MQTT_LIMITS.connectTimeoutMs)
  await silent.closed
  await slow.closed
})

test('malformed packet: a huge length in its header → closed before the rest arrives', async () => {
  const client = await loggedIn()
  await client.send(Buffer.from('30ffffff7f', 'hex'))
  await client.closed
})

test('malformed packet: a topic with U+0000, in pieces → closed', async () => {
  const client = await loggedIn()
  const bytes = packet({ cmd: 'publish', topic: 'telemetry/\0', payload: 'x', qos: 0 })
  await client.sendParts([...bytes].map((byte) => Uint8Array.of(byte)))
  await client.closed
})

test.each([
  ['a second CONNECT', { cmd: 'connect', clientId: 'raw', clean: true, keepalive: 0 }],
  ['a packet that only servers send', { cmd: 'pingresp' }],
  ['a topic with a wildcard', { cmd: 'publish', topic: 'telemetry/+', payload: 'x', qos: 0 }],
])('forbidden packet: %s → closed', async (_name, fields) => {
  const client = await loggedIn()
  await client.send(packet(fields))
  await client.closed
})

test('keep-alive: silence for one and a half of it → closed', async () => {
  const client = await Client.connect(server.port)
  await client.send(packet({ cmd: 'connect', clientId: 'kept', clean: true, keepalive: 10, ...LOGIN }))
  await client.arrived('\x20\x02\0\0')
  vi.advanceTimersByTime(15_001)
  await client.closed
})
