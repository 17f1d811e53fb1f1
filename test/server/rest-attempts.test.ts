/** Attempts over REST end at their time, whether the device polls again or not: timeouts, parks, and the order of what follows. */
import { describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { SHORT_ATTEMPTS } from '../_support/parked.ts'

interface Detail {
  readonly deliveryStatus: string
  readonly cause: string
  readonly deliveredError: boolean
  readonly attempts: readonly { readonly number: number; readonly outcome: string }[]
}

const detail = async (broker: BrokerUnderTest, id: number): Promise<Detail> =>
  (await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body as Detail

const PARKED = { deliveryStatus: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }

describe('one poll, then silence', () => {
  const start = () => BrokerUnderTest.start({ env: SHORT_ATTEMPTS })

  test('the attempt was the last one → parked: status, wait, alert, deliveredError, and the next message is due', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'go', maxAttempts: 1 })
    const next = await broker.send('pump', { command: 'go' })
    expect(await broker.next('pump')).toBe(id)

    const { body } = await broker.rest.get(`/producer/getMessageStatus/${id}?wait=20&details=true`)
    expect(body).toMatchObject({ ...PARKED, attempts: 1 })
    expect(await detail(broker, id)).toMatchObject({
      ...{ deliveredError: true, attempts: [{ number: 1, outcome: 'NOT_ACKNOWLEDGED' }] },
    })
    const overview = (await broker.rest.get('/admin/api/overview')).body as { attention: object[] }
    expect(overview.attention).toContainEqual(expect.objectContaining({ kind: 'PARKED', messageId: id }))
    expect(await broker.next('pump')).toBe(next)
  })

  test('a wait that was answered → as a plain poll', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'go', maxAttempts: 1 })
    const { body } = await broker.rest.get('/consumer/getLastMessage/pump?wait=20')
    expect(body).toMatchObject([{ id }])

    expect((await broker.rest.get(`/producer/getMessageStatus/${id}?wait=20`)).body).toEqual({
      deliveryStatus: 'UNKNOWN',
    })
  })

  test('the attempt was not the last one → deliveredError, and pending with one attempt until the next poll', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'go', maxAttempts: 2 })
    expect(await broker.next('pump')).toBe(id)

    await eventually(async () => expect(await detail(broker, id)).toMatchObject({ deliveredError: true }))
    expect(await detail(broker, id)).toMatchObject({
      ...{ deliveryStatus: 'NOT_DELIVERED', attempts: [{ number: 1, outcome: 'NOT_ACKNOWLEDGED' }] },
    })
    const { body } = await broker.rest.get('/consumer/getLastMessage/pump?details=true')
    expect(body).toMatchObject([{ id, attempt: 2 }])
    await eventually(async () => expect(await broker.status(id)).toBe('UNKNOWN'))
  })

  test('three messages in a row → the device is deaf, and the fourth one stays pending', async () => {
    const broker = await BrokerUnderTest.start({ env: { ...SHORT_ATTEMPTS, COMMON_MAX_ATTEMPTS: '1' } })
    const ids = []
    for (let n = 0; n < 4; n++) ids.push(await broker.send('pump', { command: 'go' }))
    for (const id of ids) {
      expect(await broker.next('pump')).toBe(id)
      await eventually(async () => expect(await detail(broker, id)).toMatchObject({ deliveredError: true }))
    }

    const statuses = await Promise.all(ids.map((id) => broker.status(id)))
    expect(statuses).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'NOT_DELIVERED'])
  })

  test('the producer listens over MQTT → a notice of the park', async () => {
    const broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS, mqtt: true })
    const login = { port: broker.mqttPort, username: 'admin', password: broker.token }
    const producer = await MqttPeer.connect(login)
    await producer.subscribe('producer/response/admin')
    const birth = { messageBirthCertificate: { tmpId: 7, producerDeviseId: 'admin', details: true } }
    const id = await broker.send('pump', { command: 'go', maxAttempts: 1, ...birth })
    expect(await broker.next('pump')).toBe(id)

    const statuses = [await producer.next(), await producer.next()].map(({ text }) => JSON.parse(text))
    expect(statuses).toMatchObject([
      { id, deliveryStatus: 'NOT_DELIVERED' },
      { id, ...PARKED, attempts: 1 },
    ])
  })

  test('a device that is connected over MQTT leaves → its attempt ends at its time', async () => {
    const env = { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '300' }
    const broker = await BrokerUnderTest.start({ env, mqtt: true })
    const login = { port: broker.mqttPort, username: 'admin', password: broker.token }
    const device = await MqttPeer.connect(login)
    await device.subscribe('consumer/request/pump')
    const id = await broker.send('pump', { command: 'go', maxAttempts: 1 })
    await device.next()
    await device.end()

    expect((await broker.rest.get(`/producer/getMessageStatus/${id}?wait=20`)).body).toEqual({
      deliveryStatus: 'UNKNOWN',
    })
  })
})

describe('a restart while an attempt runs', () => {
  const start = (clock: HeldClock, dataDir?: string) =>
    BrokerUnderTest.start({ ...(dataDir && { dataDir }), replaced: { clock } })

  test('its time passed meanwhile, and it was the last one → parked after the start, without a poll', async () => {
    const clock = new HeldClock()
    const first = await start(clock)
    const id = await first.send('pump', { command: 'go', maxAttempts: 1 })
    expect(await first.next('pump')).toBe(id)
    await first.server.kill()

    clock.advance(30_000)
    const broker = await start(clock, first.dataDir)
    expect(
      (await broker.rest.get(`/producer/getMessageStatus/${id}?wait=20&details=true`)).body,
    ).toMatchObject(PARKED)
    expect(await detail(broker, id)).toMatchObject({ deliveredError: true })
  })

  test('its time is not over → the message stays pending, and a poll joins the attempt', async () => {
    const clock = new HeldClock()
    const first = await start(clock)
    const id = await first.send('pump', { command: 'go', maxAttempts: 1 })
    expect(await first.next('pump')).toBe(id)
    await first.server.kill()

    clock.advance(29_999)
    const broker = await start(clock, first.dataDir)
    const { body } = await broker.rest.get('/consumer/getLastMessage/pump?details=true')
    expect(body).toMatchObject([{ id, attempt: 1 }])
  })
})

describe('a message that is due before the one whose attempt ended', () => {
  test('the attempt of the younger one ends → the next poll returns the older one', async () => {
    const clock = new HeldClock()
    const broker = await BrokerUnderTest.start({ replaced: { clock } })
    const older = await broker.send('pump', { command: 'go', delaySeconds: 5 })
    const younger = await broker.send('pump', { command: 'go' })
    expect(await broker.next('pump')).toBe(younger)
    clock.advance(5_000)
    // The attempt runs, so nothing interrupts it.
    expect(await broker.next('pump')).toBe(younger)

    clock.advance(25_000)
    expect(await broker.next('pump')).toBe(older)
    await broker.acknowledge('pump', { id: older, deliveryStatus: 'COMPLETED' })
    const { body } = await broker.rest.get('/consumer/getLastMessage/pump?details=true')
    expect(body).toMatchObject([{ id: younger, attempt: 2 }])
  })
})
