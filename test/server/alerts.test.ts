/** The alerts of the overview over a running server: parked and unfinished messages, deaf and silent devices, bytes. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'

interface Item {
  readonly kind: string
  readonly [name: string]: unknown
}

/** Returns the alerts of some kinds. The disk of the machine that runs the tests may be nearly full. */
async function alertsOf(
  broker: BrokerUnderTest,
  kinds: readonly string[],
  query = '',
): Promise<readonly Item[]> {
  const { body } = await broker.rest.get(`/admin/api/overview${query}`)
  return (body as { attention: Item[] }).attention.filter(({ kind }) => kinds.includes(kind))
}

/** Polls until a message is parked. */
async function parked(broker: BrokerUnderTest, deviceId: string, id: number): Promise<void> {
  await eventually(async () => {
    await broker.next(deviceId)
    expect(await broker.status(id)).toBe('UNKNOWN')
  })
}

/** A server whose messages are parked after one attempt of 20 ms. */
const startImpatient = (): Promise<BrokerUnderTest> =>
  BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20', COMMON_MAX_ATTEMPTS: '1' } })

test('parked messages → one alert with their number and the oldest, no FAILED; replayed → none', async () => {
  const broker = await startImpatient()
  const first = await broker.send('pump', { command: 'start', maxAttempts: 1 })
  await parked(broker, 'pump', first)
  const second = await broker.send('valve', { command: 'open', maxAttempts: 1 })
  await parked(broker, 'valve', second)
  const kinds = ['PARKED', 'FAILED', 'NOT_ACKNOWLEDGED', 'DEVICE_DEAF']
  const shape = { since: expect.any(Number), address: null, limit: null }
  expect(await alertsOf(broker, kinds)).toEqual([
    { kind: 'PARKED', deviseId: 'pump', messageId: first, value: 2, ...shape },
  ])
  await broker.rest.post(`/admin/api/messages/${first}/replay`, {})
  expect(await alertsOf(broker, kinds)).toMatchObject([{ kind: 'PARKED', messageId: second, value: 1 }])
  await broker.acknowledge('valve', { id: second, deliveryStatus: 'COMPLETED' })
  expect(await alertsOf(broker, kinds)).toEqual([])
})

test('a device polls and never acknowledges → NOT_ACKNOWLEDGED after three attempts, then PARKED', async () => {
  const broker = await BrokerUnderTest.start({
    env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20', COMMON_MAX_ATTEMPTS: '4' },
  })
  const id = await broker.send('lift-3', { command: 'open' })
  // Only a poll begins an attempt or parks the message, so no alert is missed between two polls.
  await eventually(async () => {
    await broker.poll('lift-3')
    const shape = { address: null, limit: null, since: expect.any(Number) }
    expect(await alertsOf(broker, ['NOT_ACKNOWLEDGED', 'PARKED'])).toEqual([
      { kind: 'NOT_ACKNOWLEDGED', deviseId: 'lift-3', messageId: id, value: 3, ...shape },
    ])
  })
  await parked(broker, 'lift-3', id)
  expect(await alertsOf(broker, ['NOT_ACKNOWLEDGED', 'PARKED'])).toMatchObject([
    { kind: 'PARKED', messageId: id },
  ])
})

test('three messages parked in a row → DEVICE_DEAF until the device acknowledges', async () => {
  const broker = await startImpatient()
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await broker.send('mute', { command: 'start' }))
  for (const id of ids.slice(0, 3)) await parked(broker, 'mute', id)
  expect(await alertsOf(broker, ['DEVICE_DEAF'])).toMatchObject([
    { deviseId: 'mute', since: expect.any(Number) },
  ])
  await broker.acknowledge('mute', { id: ids[3], deliveryStatus: 'COMPLETED' })
  expect(await alertsOf(broker, ['DEVICE_DEAF'])).toEqual([])
})

test('a command that is not finished in time → NOT_FINISHED; a silent device → DEVICE_SILENT until it polls', async () => {
  const broker = await BrokerUnderTest.start()
  await broker.rest.put('/admin/api/devices/buoy', { expectedSeconds: 1 })
  const id = await broker.send('oven', { command: 'bake', finishSeconds: 1 })
  await broker.acknowledge('oven', { id, deliveryStatus: 'DELIVERED' })
  await eventually(async () => {
    expect(await alertsOf(broker, ['NOT_FINISHED', 'DEVICE_SILENT', 'FAILED'])).toMatchObject([
      { kind: 'NOT_FINISHED', deviseId: 'oven', messageId: id, value: 1 },
      { kind: 'DEVICE_SILENT', deviseId: 'buoy', limit: 1 },
    ])
  })
  await broker.poll('buoy')
  expect(await alertsOf(broker, ['DEVICE_SILENT'])).toEqual([])
})

test('a general value for silence → DEVICE_SILENT of each device that was seen, but not of those with an own value', async () => {
  const clock = new HeldClock(Date.now())
  const env = { WAYBILL_EXPECTED_SECONDS: '3600' }
  const broker = await BrokerUnderTest.start({ env, replaced: { clock } })
  for (const deviseId of ['pump', 'slow', 'free', 'new'])
    await broker.rest.post('/admin/api/clients', { deviseId, password: 'sesame' })
  await broker.rest.put('/admin/api/devices/slow', { expectedSeconds: 7_200 })
  await broker.rest.put('/admin/api/devices/free', { expectedSeconds: 0 })
  for (const device of ['pump', 'slow', 'free']) await broker.poll(device)
  clock.advance(3_599_000)
  expect(await alertsOf(broker, ['DEVICE_SILENT'])).toEqual([])
  clock.advance(1_000)
  expect(await alertsOf(broker, ['DEVICE_SILENT'])).toMatchObject([
    { kind: 'DEVICE_SILENT', deviseId: 'pump', value: 3_600, limit: 3_600 },
  ])
  const { body } = await broker.rest.get('/admin/api/devices?details=true&with=SILENT')
  expect(body).toMatchObject([{ deviseId: 'pump' }])
  expect(body).toHaveLength(1)
  await broker.poll('pump')
  expect(await alertsOf(broker, ['DEVICE_SILENT'])).toEqual([])
})

test('a queue with 80 % of its bytes → bytes; the unit is there for those who ask for details', async () => {
  const broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_BYTES: '1000' } })
  await broker.send('pump', { command: 'x', data: { text: 'x'.repeat(400) } })
  await broker.send('pump', { command: 'x', data: { text: 'x'.repeat(400) } })
  const [plain] = await alertsOf(broker, ['QUEUE_NEARLY_FULL'])
  expect(plain).toMatchObject({ deviseId: 'pump', limit: 1000 })
  expect(plain?.value).toBeGreaterThan(800)
  expect(plain).not.toHaveProperty('unit')
  const [detailed] = await alertsOf(broker, ['QUEUE_NEARLY_FULL'], '?details=true')
  expect(detailed).toEqual({ ...plain, unit: 'bytes' })
})
