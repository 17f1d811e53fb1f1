/** The memory and the time that one client can take from the server are bounded, and the log says when a limit is reached. */
import { expect, test } from 'vitest'
import { SESSION_LIMITS } from '../../src/mqtt/session-states.ts'
import { SUBSCRIPTION_LIMITS } from '../../src/mqtt/subscription-quota.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { RawMqtt } from '../_support/raw-mqtt.ts'

const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }
const subscribe = (messageId: number, topics: readonly string[]): object => ({
  cmd: 'subscribe',
  messageId,
  subscriptions: topics.map((topic) => ({ topic, qos: 1 })),
})
const many = (count: number, prefix = 'telemetry'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}/${i}`)

async function connected(broker: BrokerUnderTest, fields: object = {}): Promise<RawMqtt> {
  const peer = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, ...fields })
  await peer.next('connack')
  return peer
}

test.each([
  ['3.1.1', 4, true, 0x80],
  ['3.1.1, kept session', 4, false, 0x80],
  ['5', 5, true, 0x97],
] as const)(
  'topic filters, version %s: more than the limit → refused, the others of the packet granted, room after UNSUBSCRIBE',
  async (_name, protocolVersion, clean, code) => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const peer = await connected(broker, { protocolVersion, clean })
    const { filters } = SUBSCRIPTION_LIMITS
    peer.send(subscribe(1, many(filters - 1)))
    expect((await peer.next('suback')).granted).toEqual(new Array(filters - 1).fill(1))
    peer.send(subscribe(2, ['telemetry/0', 'a', 'b', 'telemetry/1', 'c']))
    expect((await peer.next('suback')).granted).toEqual([1, 1, code, 1, code])
    const line = await broker.server.logged(({ limit }) => limit === 'topic filters')
    expect(line).toMatchObject({ level: 'warn', clientId: 'raw', deviceId: 'admin', filter: 'b' })
    peer.send(subscribe(3, ['b']))
    expect((await peer.next('suback')).granted).toEqual([code])
    peer.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['telemetry/0'] })
    await peer.next('unsuback')
    peer.send(subscribe(5, ['b', 'c']))
    expect((await peer.next('suback')).granted).toEqual([1, code])
    peer.send({ cmd: 'publish', topic: 'b', payload: 'x', qos: 1, messageId: 6 })
    expect(await peer.next('publish')).toMatchObject({ topic: 'b' })
    expect(broker.server.log.filter(({ limit }) => limit === 'topic filters')).toHaveLength(1)
  },
)

test('topic filters: SUBSCRIBE behind CONNECT, beyond the limit → nothing beyond it is kept in the session', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true })
  const fields = { ...LOGIN, clean: false }
  const first = await RawMqtt.connect(broker.mqttPort, fields)
  first.send(subscribe(1, many(1_500)))
  const { granted } = await first.next('suback')
  expect((granted as number[]).filter((code) => code < 0x80)).toHaveLength(1_000)
  first.send({ cmd: 'disconnect' })
  await first.closed
  const second = await connected(broker, { clean: false })
  second.send(subscribe(1, ['telemetry/999', 'telemetry/1000']))
  expect((await second.next('suback')).granted).toEqual([1, 0x80])
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'topic filters: %s, a name that every object has → subscribed and unsubscribed like any other',
  async (name) => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const peer = await connected(broker)
    peer.send({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: [name] })
    await peer.next('unsuback')
    peer.send(subscribe(2, [name]))
    expect((await peer.next('suback')).granted).toEqual([1])
    peer.send({ cmd: 'publish', topic: name, payload: 'x', qos: 0 })
    expect(await peer.next('publish')).toMatchObject({ topic: name })
    peer.send({ cmd: 'unsubscribe', messageId: 3, unsubscriptions: [name] })
    await peer.next('unsuback')
    peer.send({ cmd: 'publish', topic: name, payload: 'x', qos: 0 })
    expect(await peer.rest()).toEqual([])
  },
)

const qos2 = (messageId: number, fields: object = {}): object => ({
  ...{ cmd: 'publish', topic: 'telemetry/x', payload: 'x', qos: 2, messageId },
  ...fields,
})

test.each([4, 5] as const)(
  'QoS 2, protocol level %i: more messages without PUBREL than the limit → the connection ends, with a line in the log',
  async (protocolVersion) => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const peer = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, protocolVersion })
    const connack = await peer.next('connack')
    const { unreleased } = SESSION_LIMITS
    if (protocolVersion === 5) expect(connack).toMatchObject({ properties: { receiveMaximum: unreleased } })
    for (let i = 1; i <= unreleased; i++) peer.send(qos2(i))
    for (let i = 1; i <= unreleased; i++) await peer.next('pubrec')
    // A message that was released makes room, and one that is sent again takes none.
    peer.send({ cmd: 'pubrel', messageId: 1 })
    await peer.next('pubcomp')
    peer.send(qos2(1), qos2(2, { dup: true }))
    await peer.next('pubrec')
    await peer.next('pubrec')
    peer.send(qos2(unreleased + 1))
    if (protocolVersion === 5) expect(await peer.next('disconnect')).toMatchObject({ reasonCode: 0x93 })
    await peer.closed
    const line = await broker.server.logged(({ limit }) => limit === 'unreleased messages')
    expect(line).toMatchObject({ level: 'warn', clientId: 'raw', deviceId: 'admin' })
  },
)

test('QoS 2: the same message again before PUBREL, in one piece and after a new connection → forwarded once', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true })
  const reader = await connected(broker, { clientId: 'reader' })
  reader.send(subscribe(1, ['telemetry/#', 'producer/request/+']))
  await reader.next('suback')
  const sender = await connected(broker, { clean: false })
  const command = { topic: 'producer/request/pump', payload: '{"command":"start"}' }
  sender.send(qos2(1), qos2(1, { dup: true }), qos2(2, command), qos2(2, { ...command, dup: true }))
  for (let i = 0; i < 4; i++) await sender.next('pubrec')
  sender.send({ cmd: 'disconnect' })
  await sender.closed
  const again = await connected(broker, { clean: false })
  again.send(qos2(1, { dup: true }), qos2(2, { ...command, dup: true }))
  for (let i = 0; i < 2; i++) await again.next('pubrec')
  const first = (await reader.rest()).filter(({ cmd }) => cmd === 'publish')
  expect(first.map(({ topic }) => topic).sort()).toEqual(['producer/request/pump', 'telemetry/x'])
  expect(await broker.next('pump')).toBe(1)
  await broker.acknowledge('pump', { id: 1, deliveryStatus: 'COMPLETED' })
  expect(await broker.next('pump')).toBe(null)
  again.send({ cmd: 'pubrel', messageId: 1 })
  await again.next('pubcomp')
  again.send(qos2(1))
  await again.next('pubrec')
  expect((await reader.rest()).map(({ topic }) => topic)).toEqual(['telemetry/x'])
})

/** Builds a command of exactly this many bytes. */
function commandOf(bytes: number): string {
  const [head, tail] = ['{"command":"show","data":{"text":"', '"}}']
  return head + 'x'.repeat(bytes - head.length - tail.length) + tail
}

test('payload: the body limit → the same over REST and MQTT', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true, env: { WAYBILL_BODY_LIMIT: '1000' } })
  const options = { port: broker.mqttPort, ...LOGIN }
  const [old, current] = [
    await MqttPeer.connect({ ...options, protocolVersion: 4 }),
    await MqttPeer.connect({ ...options, protocolVersion: 5 }),
  ]
  await old.subscribe('producer/error/admin')
  const topic = 'producer/request/pump'
  for (const peer of [old, current]) await peer.publish(topic, commandOf(1_000))
  expect((await broker.request('pump', commandOf(1_000))).status).toBe(200)
  expect((await broker.request('pump', commandOf(1_001))).status).toBe(413)
  await old.publish(topic, commandOf(1_001))
  const { text } = await old.next()
  expect(JSON.parse(text)).toEqual({
    error: 'Payload Too Large',
    message: 'The payload is larger than 1000 bytes. Send a smaller one.',
    topic,
  })
  await expect(current.publish(topic, commandOf(1_001))).rejects.toMatchObject({ code: 0x97 })
  await old.publish('telemetry/x', 'x'.repeat(1_001))
  expect(JSON.parse((await old.next()).text)).toMatchObject({ topic: 'producer/request/pump' })
  expect(JSON.parse((await old.next()).text)).toMatchObject({ topic: 'telemetry/x' })
})
