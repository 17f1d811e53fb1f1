/** A client that stops reading does not slow others, takes bounded memory, and is cut off. */
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, expect, test, vi } from 'vitest'
import { CONNECTION_LIMITS, MqttConnection } from '../../src/mqtt/connection.ts'
import { PacketValidator } from '../../src/mqtt/packet-validator.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const MESSAGES = 300
const BIG = Buffer.alloc(100_000)

/** Opens a connection that subscribes and then stops reading. */
async function stuckReader(port: number, topic: string, version: 4 | 5, clean: boolean): Promise<Client> {
  const client = await Client.connect(port)
  const send = (packet: object): Promise<void> =>
    client.send(generate(packet as Packet, { protocolVersion: version }))
  const login = { username: 'lamp', password: PASSWORD, protocolVersion: version }
  const properties = clean ? {} : { sessionExpiryInterval: 60 }
  await send({ cmd: 'connect', clientId: `stuck-${version}`, keepalive: 0, clean, ...login, properties })
  await client.arrived(' ')
  await send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] })
  // SUBACK: the identifier, in version 5 no properties, QoS 1.
  await client.arrived(version === 5 ? '\0\x01\0\x01' : '\0\x01\x01')
  client.pause()
  return client
}

test.each([
  ['version 3.1.1, clean session', 4, true],
  ['version 3.1.1, kept session', 4, false],
  ['version 5', 5, true],
] as const)(
  'slow reader, %s: large messages for it → cut off, others are served before and after',
  async (_name, version, clean) => {
    const dataDir = await withClients('lamp', 'radio')
    const env = { MQTT_EXTRA_TOPICS: 'telemetry/#' }
    const broker = await BrokerUnderTest.start({ mqtt: true, dataDir, env })
    const login = { port: broker.mqttPort, password: PASSWORD }
    const slow = await stuckReader(broker.mqttPort, 'telemetry/big', version, clean)
    const sender = await MqttPeer.connect({ ...login, username: 'radio' })
    const other = await MqttPeer.connect({ ...login, username: 'lamp' })
    await other.subscribe('telemetry/small')
    let cut = false
    void slow.closed.then(() => {
      cut = true
    })
    let tripsBefore = 0
    for (let i = 0; i < MESSAGES; i++) {
      await sender.publish('telemetry/big', BIG, { qos: i % 2 })
      await sender.publish('telemetry/small', String(i))
      expect((await other.next()).text).toBe(String(i))
      if (!cut) tripsBefore = i + 1
    }
    slow.resume()
    await slow.closed
    // Some round trips took place while it was blocked, the rest after it was cut off.
    expect(tripsBefore).toBeGreaterThan(10)
    const line = await broker.server.logged(({ msg }) => /reads too slowly/.test(msg))
    expect(Number(/(\d+) bytes/.exec(line.msg)?.[1])).toBeLessThan(
      CONNECTION_LIMITS.backlogBytes + 2 * BIG.length,
    )
  },
)

test('slow reader: commands for a device that does not read → others are answered, its messages stay pending', async () => {
  const dataDir = await withClients('lamp', 'radio')
  const env = { COMMON_SEND_MESSAGE_PERIOD: '0' }
  const broker = await BrokerUnderTest.start({ mqtt: true, dataDir, env })
  await stuckReader(broker.mqttPort, 'consumer/request/lamp', 4, true)
  const login = { port: broker.mqttPort, username: 'radio', password: PASSWORD }
  const sender = await MqttPeer.connect(login)
  const other = await MqttPeer.connect(login)
  await other.subscribe('consumer/request/radio')
  // More than the buffers of the operating system take, which is about 10 MB.
  const data = { text: 'x'.repeat(250_000) }
  for (let i = 0; i < 80; i++) {
    await sender.publish('producer/request/lamp', { command: 'show', believerGuarantee: 'NO', data })
    await other.publish('producer/request/radio', { command: 'ping' })
    const { id } = JSON.parse((await other.next()).text) as { id: number }
    await other.publish('consumer/response/radio', { id })
  }
  // Messages that its connection does not take stay pending, on disk.
  expect(await broker.next('lamp')).toBeGreaterThan(0)
})

test('slow reader: few bytes, none read for the stall limit → cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const takes: (() => void)[] = []
  const transport = new Duplex({ read() {}, write: (_chunk, _encoding, done) => void takes.push(done) })
  const cuts: string[] = []
  const onCut = (reason: string): void => void cuts.push(reason)
  const connection = new MqttConnection({
    transport,
    validator: new PacketValidator(1_000),
    remote: '',
    ...{ onCut, onFailure: () => {} },
  })
  const write = async (): Promise<void> => {
    connection.write('x')
    await nextTurn()
    await nextTurn()
  }
  const half = CONNECTION_LIMITS.stallMs / 2
  await write()
  vi.advanceTimersByTime(half)
  await write()
  takes.shift()?.()
  vi.advanceTimersByTime(half)
  expect(transport.destroyed).toBe(false)
  vi.advanceTimersByTime(half)
  expect(transport.destroyed).toBe(true)
  expect(cuts).toEqual([expect.stringMatching(/the client has read nothing for 30 s/)])
})
afterEach(() => void vi.useRealTimers())
