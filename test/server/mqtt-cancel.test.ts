/** A producer cancels commands over MQTT: its own ones, and an admin those of all clients. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { logIn, type Rest } from '../_support/rest.ts'

let broker: BrokerUnderTest
let shop: Rest
beforeEach(async () => {
  const dataDir = await withClients('shop', 'spy')
  broker = await BrokerUnderTest.start({
    dataDir,
    mqtt: true,
    env: { APP_SECURITY_OWN_QUEUE_ONLY: 'true', COMMON_SEND_MESSAGE_PERIOD: '0' },
  })
  shop = await logIn(broker.server.url, 'shop', PASSWORD)
})

/** Connects, and subscribes to the results and errors of the client. */
async function producer(username: string): Promise<MqttPeer> {
  const password = username === 'admin' ? ADMIN_PASSWORD : PASSWORD
  const peer = await MqttPeer.connect({ port: broker.mqttPort, protocolVersion: 5, username, password })
  await peer.subscribe(`producer/response/${username}`, `producer/error/${username}`)
  return peer
}

let tmpId = 0
/** Sends a command as the shop. Results go to the shop. @returns its id */
async function send(deviceId: string, command = 'start'): Promise<number> {
  const messageBirthCertificate = { tmpId: ++tmpId, producerDeviseId: 'shop' }
  const { body } = await shop.put(`/producer/request/${deviceId}`, { command, messageBirthCertificate })
  return (body as { id: number }).id
}

/** Publishes a cancellation. @returns the code of PUBACK, 0 for success */
async function cancel(peer: MqttPeer, deviceId: string, payload: object | string): Promise<unknown> {
  const answer = peer.packet('puback')
  await peer.publish(`producer/cancel/${deviceId}`, payload).catch(() => {})
  return (await answer).reasonCode ?? 0
}

/** Returns the messages that arrived, as topic and the member that matters. */
async function received(peer: MqttPeer): Promise<unknown[]> {
  return (await peer.rest()).map(({ topic, text }) => {
    const { id, deliveryStatus, error } = JSON.parse(text) as Record<string, unknown>
    return [topic, error ?? `${id} ${deliveryStatus}`]
  })
}

const statuses = (...ids: readonly number[]): Promise<string[]> =>
  Promise.all(ids.map((id) => broker.status(id)))

describe('one message', () => {
  test('its sender → CANCELLED, with a result; again → the same, without a result', async () => {
    const id = await send('lamp')
    const peer = await producer('shop')
    expect(await cancel(peer, 'lamp', { id })).toBe(0)
    expect(await received(peer)).toEqual([['producer/response/shop', `${id} CANCELLED`]])
    expect(await broker.next('lamp')).toBe(null)
    expect(await cancel(peer, 'lamp', { id })).toBe(0)
    expect(await received(peer)).toEqual([])
  })

  test.each([
    ['of another client', 'spy', 'lamp'],
    ['of another device', 'shop', 'radio'],
  ])('%s → refused as unknown, unchanged', async (_what, client, deviceId) => {
    const id = await send('lamp')
    const peer = await producer(client)
    expect(await cancel(peer, deviceId, { id })).toBe(0x83)
    expect(await received(peer)).toEqual([[`producer/error/${client}`, 'Not Found']])
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })

  test('dispatched → refused; with force → CANCELLED', async () => {
    const id = await send('lamp')
    expect(await broker.next('lamp')).toBe(id)
    const peer = await producer('shop')
    expect(await cancel(peer, 'lamp', { id })).toBe(0x83)
    expect(await received(peer)).toEqual([['producer/error/shop', 'Conflict']])
    expect(await cancel(peer, 'lamp', { id, force: true })).toBe(0)
    expect(await received(peer)).toEqual([['producer/response/shop', `${id} CANCELLED`]])
  })

  test('an admin, for a message of another client → CANCELLED', async () => {
    const id = await send('lamp')
    expect(await cancel(await producer('admin'), 'lamp', { id })).toBe(0)
    expect(await broker.status(id)).toBe('CANCELLED')
  })
})

describe('many messages', () => {
  test('neither id nor command → all own ones of the device', async () => {
    const own = [await send('lamp'), await send('lamp', 'stop')]
    const kept = [await send('radio'), await broker.send('lamp', { command: 'start' })]
    const peer = await producer('shop')
    expect(await cancel(peer, 'lamp', {})).toBe(0)
    expect(await statuses(...own, ...kept)).toEqual([
      ...['CANCELLED', 'CANCELLED'],
      ...['NOT_DELIVERED', 'NOT_DELIVERED'],
    ])
    expect(await received(peer)).toEqual(own.map((id) => ['producer/response/shop', `${id} CANCELLED`]))
  })

  test('a command → the own ones with that command; id and command null → as absent', async () => {
    const [start, stop] = [await send('lamp'), await send('lamp', 'stop')]
    const peer = await producer('shop')
    expect(await cancel(peer, 'lamp', { command: 'stop' })).toBe(0)
    expect(await statuses(start, stop)).toEqual(['NOT_DELIVERED', 'CANCELLED'])
    expect(await cancel(peer, 'lamp', { id: null, command: null, force: null })).toBe(0)
    expect(await statuses(start)).toEqual(['CANCELLED'])
  })

  test('one was dispatched → it stays pending; with force → cancelled too', async () => {
    const [first, second] = [await send('lamp'), await send('lamp')]
    expect(await broker.next('lamp')).toBe(first)
    const peer = await producer('shop')
    expect(await cancel(peer, 'lamp', {})).toBe(0)
    expect(await statuses(first, second)).toEqual(['NOT_DELIVERED', 'CANCELLED'])
    expect(await cancel(peer, 'lamp', { force: true })).toBe(0)
    expect(await statuses(first)).toEqual(['CANCELLED'])
  })

  test('an admin → those of all clients', async () => {
    const ids = [await send('lamp'), await broker.send('lamp', { command: 'start' })]
    expect(await cancel(await producer('admin'), 'lamp', {})).toBe(0)
    expect(await statuses(...ids)).toEqual(['CANCELLED', 'CANCELLED'])
  })
})

test.each([
  ['id with command', { id: 1, command: 'start' }, /"id" and "command" exclude each other/],
  ['an id that is a text', { id: '1' }, /"id"/],
  ['force that is a number', { force: 1 }, /"force"/],
  ['no JSON', 'all', /JSON/],
  ['no payload', '', /JSON/],
])('invalid: %s → 0x99 and an error, nothing is cancelled', async (_what, payload, message) => {
  const id = await send('lamp')
  const peer = await producer('shop')
  expect(await cancel(peer, 'lamp', payload)).toBe(0x99)
  const { topic, text } = await peer.next()
  expect([topic, JSON.parse(text)]).toEqual([
    'producer/error/shop',
    { error: 'Bad Request', message: expect.stringMatching(message), topic: 'producer/cancel/lamp' },
  ])
  expect(await broker.status(id)).toBe('NOT_DELIVERED')
})

test('QoS 2 → executed once', async () => {
  const id = await send('lamp')
  const peer = await producer('shop')
  await peer.publish('producer/cancel/lamp', { id }, { qos: 2 })
  expect(await received(peer)).toEqual([['producer/response/shop', `${id} CANCELLED`]])
})

test('a client with own queues only: subscribes to cancellations → refused', async () => {
  const peer = await producer('spy')
  expect(await peer.subscribe('producer/cancel/lamp')).toEqual([0x87])
})

test('a topic of two levels → 0x87, and an error that names the topic', async () => {
  const peer = await producer('shop')
  expect(await cancel(peer, 'a/b', {})).toBe(0x87)
  expect(JSON.parse((await peer.next()).text)).toEqual({
    error: 'Forbidden',
    message:
      'This client may not publish to "producer/cancel/a/b". Use producer/cancel/{deviceId}, with an id of one level.',
    topic: 'producer/cancel/a/b',
  })
})
