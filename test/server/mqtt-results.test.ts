/** Reports of devices over MQTT, the details that producers asked for, and repeated and replacing submits. */
import { beforeEach, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { MqttPeer } from '../_support/mqtt.ts'

let broker: BrokerUnderTest
let shop: MqttPeer
let lamp: MqttPeer
beforeEach(async () => {
  const dataDir = await withClients('shop', 'lamp', 'spy')
  const env = { APP_SECURITY_OWN_QUEUE_ONLY: 'true', COMMON_SEND_MESSAGE_PERIOD: '0' }
  broker = await BrokerUnderTest.start({ dataDir, mqtt: true, env })
  shop = await connect('shop')
  lamp = await connect('lamp')
})

/** Connects, and subscribes to all that the client may receive. */
async function connect(username: string): Promise<MqttPeer> {
  const login = { username, password: PASSWORD, protocolVersion: 5 as const }
  const peer = await MqttPeer.connect({ port: broker.mqttPort, ...login })
  const topics = ['producer/response', 'producer/error', 'consumer/request']
  await peer.subscribe(...topics.map((topic) => `${topic}/${username}`))
  return peer
}

/** Submits a command for the lamp. @returns the code of PUBACK, 0 for success */
async function submit(message: object, peer = shop): Promise<unknown> {
  const answer = peer.packet('puback')
  await peer.publish('producer/request/lamp', { command: 'start', ...message }).catch(() => {})
  return (await answer).reasonCode ?? 0
}

const certificate = (more: object = {}): object => ({
  messageBirthCertificate: { tmpId: 7, producerDeviseId: 'shop', ...more },
})
const textOf = async (peer: MqttPeer): Promise<string> => (await peer.next()).text
const idOf = async (peer: MqttPeer): Promise<number> => (JSON.parse(await textOf(peer)) as { id: number }).id
const acknowledge = (payload: object | string): Promise<void> =>
  lamp.publish('consumer/response/lamp', payload)

describe('details of results', () => {
  test('asked for → cause, reason, result as the device wrote it, attempts, date', async () => {
    await submit(certificate({ details: true }))
    const id = await idOf(lamp)
    const result = '{"big":12345678901234567890,"speed":1.0, "text":"\\u00e9"}'
    await acknowledge(
      `{"id":${id},"deliveryStatus":"COMPLETED","result":${result},"reason":"all \\"well\\""}`,
    )
    const head = `{"id":${id},"tmpId":7,"deliveryStatus":`
    const date = /,"date":\d+}$/
    const [stored, completed] = [await textOf(shop), await textOf(shop)]
    expect(stored.replace(date, '')).toBe(
      `${head}"NOT_DELIVERED","cause":"STORED","reason":null,"result":null,"attempts":0`,
    )
    expect(completed.replace(date, '')).toBe(
      `${head}"COMPLETED","cause":"ACKNOWLEDGED","reason":"all \\"well\\"","result":${result},"attempts":1`,
    )
  })

  test('not asked for → three members, whatever the device reports', async () => {
    await submit(certificate())
    const id = await idOf(lamp)
    await acknowledge({ id, result: [1], reason: 'x' })
    for (const status of ['NOT_DELIVERED', 'DELIVERED']) {
      expect(await textOf(shop)).toBe(`{"id":${id},"tmpId":7,"deliveryStatus":"${status}"}`)
    }
  })

  test.each([
    ['16384 bytes → kept', 16_384, true],
    ['16385 bytes → dropped with an error, the status counts', 16_385, false],
  ])('a result of %s', async (_what, bytes, isKept) => {
    await submit(certificate({ details: true }))
    const id = await idOf(lamp)
    const result = `"${'x'.repeat(bytes - 2)}"`
    await acknowledge(`{"id":${id},"deliveryStatus":"COMPLETED","result":${result}}`)
    await textOf(shop)
    expect(JSON.parse(await textOf(shop))).toMatchObject({
      deliveryStatus: 'COMPLETED',
      result: isKept ? JSON.parse(result) : null,
    })
    const errors = (await lamp.rest()).map(({ topic, text }) => [topic, JSON.parse(text)])
    const message = `The result of message ${id} was dropped, and its status was stored. Send at most 16384 bytes.`
    const dropped = { error: 'Payload Too Large', message, topic: 'consumer/response/lamp' }
    expect(errors).toEqual(isKept ? [] : [['producer/error/lamp', dropped]])
  })

  test('a reason that is no text → dropped silently, the status counts', async () => {
    await submit(certificate({ details: true }))
    const id = await idOf(lamp)
    await acknowledge({ id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason: { code: 7 } })
    await textOf(shop)
    expect(JSON.parse(await textOf(shop))).toMatchObject({
      deliveryStatus: 'COMPLETED_WITH_ERROR',
      reason: null,
    })
    expect(await lamp.rest()).toEqual([])
  })
})

test('details in the settings of a device → three more members of its commands', async () => {
  await submit({ validSeconds: 3600 })
  const plain = JSON.parse(await textOf(lamp)) as { id: number }
  expect(Object.keys(plain)).toEqual(['id', 'currentTimestamp', 'command', 'believerGuarantee', 'data'])
  await broker.rest.put('/admin/api/devices/lamp', { details: true })
  await acknowledge({ id: plain.id, deliveryStatus: 'COMPLETED' })
  await submit({ validSeconds: 3600, finishSeconds: 60 })
  const { attempt, remainingSeconds, finishSeconds } = JSON.parse(await textOf(lamp)) as Record<
    string,
    number
  >
  expect([attempt, finishSeconds]).toEqual([1, 60])
  expect(remainingSeconds).toBeLessThanOrEqual(3600)
  expect(remainingSeconds).toBeGreaterThan(3500)
})

describe('busy', () => {
  test('with an acknowledgement → no further command until busySeconds 0 without an id', async () => {
    await submit({})
    const first = await idOf(lamp)
    await acknowledge({ id: first, deliveryStatus: 'COMPLETED', busySeconds: 600 })
    await submit({})
    expect(await lamp.rest()).toEqual([])
    expect(await broker.status(first)).toBe('COMPLETED')
    await acknowledge({ busySeconds: 0 })
    expect(await idOf(lamp)).toBeGreaterThan(first)
  })

  test.each([
    ['86401 seconds', { busySeconds: 86_401 }, /"busySeconds"/],
    ['a text', { busySeconds: '1' }, /"busySeconds"/],
    ['null, without an id', { busySeconds: null }, /"id" is missing/],
    ['a status without an id', { busySeconds: 1, deliveryStatus: 'COMPLETED' }, /"id" is missing/],
  ])('%s → refused', async (_what, payload, message) => {
    await acknowledge(payload).catch(() => {})
    expect(JSON.parse(await textOf(lamp))).toMatchObject({ message: expect.stringMatching(message) })
  })
})

describe('idempotency key', () => {
  const repeated = { ...certificate(), idempotencyKey: 'order-1' }

  test('the same content again → PUBACK with success, one message, its present status once more', async () => {
    expect(await submit(repeated)).toBe(0)
    const id = await idOf(lamp)
    await acknowledge({ id, deliveryStatus: 'COMPLETED' })
    expect(await submit(repeated)).toBe(0)
    const results = [await textOf(shop), await textOf(shop), await textOf(shop)]
    expect(results.map((text) => JSON.parse(text))).toEqual(
      ['NOT_DELIVERED', 'COMPLETED', 'COMPLETED'].map((deliveryStatus) => ({ id, tmpId: 7, deliveryStatus })),
    )
    expect(await lamp.rest()).toEqual([])
  })

  test('again with details → the same details as before', async () => {
    const detailed = { ...certificate({ details: true }), idempotencyKey: 'order-2' }
    await submit(detailed)
    const id = await idOf(lamp)
    await acknowledge({ id, deliveryStatus: 'COMPLETED', result: { litres: 12 }, reason: 'done' })
    await textOf(shop)
    const completed = await textOf(shop)
    await submit(detailed)
    expect(await textOf(shop)).toBe(completed)
  })

  test('other content → 0x83, nothing is stored', async () => {
    await submit(repeated)
    const id = await idOf(shop)
    expect(await submit({ ...repeated, command: 'stop' })).toBe(0x83)
    expect(JSON.parse(await textOf(shop))).toMatchObject({ error: 'Unprocessable Entity' })
    expect(await idOf(lamp)).toBe(id)
    expect(await lamp.rest()).toEqual([])
  })

  test('two clients with one key → two messages', async () => {
    await submit(repeated)
    await submit({ idempotencyKey: 'order-1' }, await connect('spy'))
    const first = await idOf(lamp)
    await acknowledge({ id: first, deliveryStatus: 'COMPLETED' })
    expect(await idOf(lamp)).toBeGreaterThan(first)
  })
})

describe('replaces', () => {
  beforeEach(async () => {
    await lamp.end()
    // A message is dispatched to a connection whose end the server has not seen, and cannot be replaced then.
    const connections = () => broker.rest.get('/admin/api/connections?deviseId=lamp')
    await expect.poll(async () => (await connections()).body).toEqual([])
  })
  const stored = async (message: object, peer = shop): Promise<number> => {
    await submit({ ...certificate(), ...message }, peer)
    return idOf(shop)
  }

  test('an own pending message → cancelled, and the new one is stored', async () => {
    const old = await stored({})
    const replacing = await stored({ replaces: old })
    expect(JSON.parse(await textOf(shop))).toEqual({ id: old, tmpId: 7, deliveryStatus: 'CANCELLED' })
    expect([await broker.status(old), await broker.status(replacing)]).toEqual(['CANCELLED', 'NOT_DELIVERED'])
  })

  test("another client's message → refused as unknown, nothing is stored", async () => {
    const old = await stored({})
    const spy = await connect('spy')
    expect(await submit({ replaces: old }, spy)).toBe(0x83)
    expect(JSON.parse(await textOf(spy))).toMatchObject({ error: 'Not Found' })
    expect(await broker.next('lamp')).toBe(old)
  })

  test('a message that its device may have → refused', async () => {
    const old = await stored({})
    expect(await broker.next('lamp')).toBe(old)
    expect(await submit({ replaces: old })).toBe(0x83)
    expect(JSON.parse(await textOf(shop))).toMatchObject({ error: 'Conflict' })
  })
})
