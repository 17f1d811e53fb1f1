/** A device out of service: what its messages do over REST, waits, MQTT 3.1.1 and 5 and a gateway, and after a restart. */
import { describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const ENV = { COMMON_SEND_MESSAGE_PERIOD: '0' }

const start = (options: Parameters<typeof BrokerUnderTest.start>[0] = {}) =>
  BrokerUnderTest.start({ mqtt: true, env: ENV, ...options })

const pathOf = (deviceId: string) => `/admin/api/devices/${deviceId}/service`

async function takeOut(broker: BrokerUnderTest, deviceId = 'pump', body: object = {}): Promise<void> {
  expect((await broker.rest.put(pathOf(deviceId), { reason: 'repair', ...body })).status).toBe(200)
}

async function takeBack(broker: BrokerUnderTest, deviceId = 'pump'): Promise<void> {
  expect((await broker.rest.delete(pathOf(deviceId))).status).toBe(204)
}

const details = async (broker: BrokerUnderTest, id: number) =>
  (await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body as Record<string, unknown>

const attemptsOf = async (broker: BrokerUnderTest, id: number) =>
  ((await details(broker, id)).attempts as { outcome: string }[]).map(({ outcome }) => outcome)

const idOf = ({ text }: { text: string }): number => (JSON.parse(text) as { id: number }).id

const connect = (broker: BrokerUnderTest, options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port: broker.mqttPort, username: 'admin', password: ADMIN_PASSWORD, ...options })

describe('REST', () => {
  test('service: polls → [], submits are stored; the end → the messages in their order', async () => {
    const broker = await start()
    const first = await broker.send('pump', { command: 'a' })
    await takeOut(broker)
    const second = await broker.send('pump', { command: 'b' })
    expect((await broker.poll('pump')).body).toEqual([])
    expect(await details(broker, first)).toMatchObject({
      deliveryStatus: 'NOT_DELIVERED',
      waits: { reason: 'SERVICE', messageId: null },
    })
    const { body } = await broker.rest.get('/admin/api/devices/pump')
    expect(body).toMatchObject({ waiting: 2, lastSeenDate: expect.any(Number) })

    await takeBack(broker)
    expect(await broker.next('pump')).toBe(first)
    await broker.acknowledge('pump', { id: first, deliveryStatus: 'COMPLETED' })
    expect(await broker.next('pump')).toBe(second)
  })

  test('service: an attempt runs → it ends as BUSY and does not count; its acknowledgement counts', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'a', maxAttempts: 1 })
    expect(await broker.next('pump')).toBe(id)
    await takeOut(broker)
    expect(await attemptsOf(broker, id)).toEqual(['BUSY'])
    await takeBack(broker)
    expect(await broker.next('pump')).toBe(id)
    await takeOut(broker)
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
    expect(await broker.status(id)).toBe('COMPLETED')
  })

  test('service: a poll that waits → held, and answered when the service ends', async () => {
    const broker = await start()
    await takeOut(broker)
    const waiting = broker.rest.get('/consumer/getLastMessage/pump?wait=60')
    await eventually(async () => {
      const { body } = await broker.rest.get('/admin/api/devices/pump')
      expect(body).toMatchObject({ transport: 'REST' })
    })
    const id = await broker.send('pump', { command: 'a' })
    let isOver = false
    void waiting.then(() => {
      isOver = true
    })
    expect((await broker.poll('pump')).body).toEqual([])
    expect(isOver).toBe(false)
    await takeBack(broker)
    expect((await waiting).body).toMatchObject([{ id }])
  })

  test('service: the validity of a message ends meanwhile → it expires', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'a', validSeconds: 1 })
    await takeOut(broker)
    await expect.poll(() => broker.status(id), { timeout: 10_000 }).toBe('CANCELLED')
    expect(await details(broker, id)).toMatchObject({ cause: 'EXPIRED' })
  })

  test('service: the device asks for a pause, or ends its pause → each holds by itself', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'a' })
    await broker.acknowledge('pump', { busySeconds: 600 })
    await takeOut(broker)
    await broker.acknowledge('pump', { busySeconds: 0 })
    expect(await broker.next('pump')).toBeNull()
    await broker.acknowledge('pump', { busySeconds: 600 })
    await takeBack(broker)
    expect(await broker.next('pump')).toBeNull()
    expect(await details(broker, id)).toMatchObject({ waits: { reason: 'BUSY' } })
    await broker.acknowledge('pump', { busySeconds: 0 })
    expect(await broker.next('pump')).toBe(id)
  })

  test('service: it ends by its date → dispatch goes on', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'a' })
    const untilDate = Date.now() + 1_500
    await takeOut(broker, 'pump', { untilDate })
    expect(await details(broker, id)).toMatchObject({ waits: { reason: 'SERVICE', until: untilDate } })
    const peer = await connect(broker)
    await peer.subscribe('consumer/request/pump')
    expect(idOf(await peer.next())).toBe(id)
    expect(Date.now()).toBeGreaterThanOrEqual(untilDate - 1)
    expect((await broker.rest.get('/admin/api/devices/pump?details=true')).body).toMatchObject({
      service: null,
    })
  })

  test('service: a failed command of the device → neither in the alerts nor in the overview', async () => {
    const broker = await start()
    const fail = async (deviceId: string): Promise<void> => {
      const id = await broker.send(deviceId, { command: 'a' })
      await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    }
    const keys = async () =>
      ((await broker.rest.get('/admin/api/alerts')).body as { items: { key: string }[] }).items.map(
        ({ key }) => key,
      )
    const attention = async () => {
      const { body } = await broker.rest.get('/admin/api/overview')
      return (body as { attention: { kind: string; deviseId: string }[] }).attention
        .filter(({ kind }) => kind === 'FAILED')
        .map(({ deviseId }) => deviseId)
    }
    await fail('pump')
    await fail('valve')
    expect(await keys()).toEqual(expect.arrayContaining(['FAILED:pump', 'FAILED:valve']))
    expect((await attention()).toSorted()).toEqual(['pump', 'valve'])
    await takeOut(broker)
    expect(await keys()).not.toContain('FAILED:pump')
    expect(await attention()).toEqual(['valve'])
    // The signals are judged five minutes after the end.
    await takeBack(broker)
    expect(await attention()).toEqual(['valve'])
  })
})

describe.each([4, 5] as const)('MQTT, version %i', (protocolVersion) => {
  test('service: a connected device → no command, the connection stays; results and acknowledgements count', async () => {
    const broker = await start()
    const pump = await connect(broker, { protocolVersion, clientId: 'pump' })
    const shop = await connect(broker, { protocolVersion, clientId: 'shop' })
    await pump.subscribe('consumer/request/pump')
    await shop.subscribe('producer/response/shop')
    const messageBirthCertificate = { tmpId: 7, producerDeviseId: 'shop' }
    const id = await broker.send('pump', { command: 'a', messageBirthCertificate })
    expect(idOf(await pump.next())).toBe(id)
    await takeOut(broker)
    expect(await attemptsOf(broker, id)).toEqual(['BUSY'])
    const second = await broker.send('pump', { command: 'b' })
    expect(await pump.rest()).toEqual([])

    await pump.publish('consumer/response/pump', { id, deliveryStatus: 'COMPLETED' })
    const statuses = [await shop.next(), await shop.next()].map(({ text }) => JSON.parse(text).deliveryStatus)
    expect(statuses).toEqual(['NOT_DELIVERED', 'COMPLETED'])
    expect(await pump.rest()).toEqual([])
    await takeBack(broker)
    expect(idOf(await pump.next())).toBe(second)
  })

  test('service: a device connects meanwhile → no command before the end', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'a' })
    await takeOut(broker)
    const pump = await connect(broker, { protocolVersion })
    await pump.subscribe('consumer/request/pump')
    expect(await pump.rest()).toEqual([])
    await takeBack(broker)
    expect(idOf(await pump.next())).toBe(id)
  })
})

test('service: a gateway is out of service → the devices behind it receive their commands', async () => {
  const broker = await start()
  await broker.rest.post('/admin/api/clients', { deviseId: 'hub', password: 'sesame', devices: ['site-*'] })
  const hub = await connect(broker, { username: 'hub', password: 'sesame' })
  await hub.subscribe('consumer/request/+')
  await takeOut(broker, 'hub')
  await broker.send('hub', { command: 'a' })
  const id = await broker.send('site-1', { command: 'b' })
  expect(idOf(await hub.next())).toBe(id)
  expect(await hub.rest()).toEqual([])
})

test('service: a pacing interval → after the end the commands keep it', async () => {
  const broker = await start({ env: { COMMON_SEND_MESSAGE_PERIOD: '3600000' } })
  const pump = await connect(broker)
  await pump.subscribe('consumer/request/pump')
  const ids = [await broker.send('pump', { command: 'a' }), await broker.send('pump', { command: 'b' })]
  expect(idOf(await pump.next())).toBe(ids[0])
  await pump.publish('consumer/response/pump', { id: ids[0], deliveryStatus: 'COMPLETED' })
  await takeOut(broker)
  await takeBack(broker)
  expect(await pump.rest()).toEqual([])
  expect(await details(broker, ids[1] as number)).toMatchObject({ waits: { reason: 'GAP' } })
})

test('service: a restart → still out of service when the first device connects; an end by its date still comes', async () => {
  const first = await start()
  const id = await first.send('pump', { command: 'a' })
  const other = await first.send('valve', { command: 'a' })
  await takeOut(first)
  const untilDate = Date.now() + 3_000
  await takeOut(first, 'valve', { untilDate })
  const { body: before } = await first.rest.get('/admin/api/devices/pump?details=true')
  await first.server.kill()

  const broker = await start({ dataDir: first.dataDir })
  const pump = await connect(broker)
  const valve = await connect(broker)
  await pump.subscribe('consumer/request/pump')
  await valve.subscribe('consumer/request/valve')
  expect(await pump.rest()).toEqual([])
  const { body: after } = await broker.rest.get('/admin/api/devices/pump?details=true')
  expect((after as { service: unknown }).service).toEqual((before as { service: unknown }).service)
  expect(idOf(await valve.next())).toBe(other)
  expect(Date.now()).toBeGreaterThanOrEqual(untilDate - 1)
  await takeBack(broker)
  expect(idOf(await pump.next())).toBe(id)
})
