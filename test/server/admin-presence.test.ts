/** Tests the presence of devices that outlives restarts: states, spans, runs, and who was not seen for long. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const MINUTE_MS = 60_000
const START = Date.now()

interface Shown {
  readonly deviseId: string
  readonly presence: string
  readonly lastSeenDate: number | null
  readonly lastSeenExact: boolean
  readonly sinceDate: number | null
  readonly firstSeenDate: number | null
  readonly pollSeconds: number | null
}
interface Span {
  readonly state: string
  readonly fromDate: number
  readonly toDate: number
  readonly transport: string | null
  readonly reason: string | null
}

const detail = async (broker: BrokerUnderTest, id: string) =>
  (await broker.rest.get(`/admin/api/devices/${id}?details=true`)).body as unknown as Shown
const connect = ({ mqttPort: port }: BrokerUnderTest) =>
  MqttPeer.connect({ port, username: 'pump', password: PASSWORD, clientId: 'pump-session' })
const spansOf = async (broker: BrokerUnderTest, id: string, fromMs: number) => {
  const { body } = await broker.rest.get(`/admin/api/devices/${id}/presence?from=${fromMs}`)
  return (body as unknown as { spans: Span[] }).spans
}
const statesOf = async (broker: BrokerUnderTest, id: string, fromMs: number) =>
  (await spansOf(broker, id, fromMs)).map(({ state }) => state)

test('presence: a device polls, and the server restarts → last seen as before, first UNKNOWN, then AWAY', async () => {
  const clock = new HeldClock(START)
  const broker = await BrokerUnderTest.start({ replaced: { clock } })
  for (let poll = 0; poll < 3; poll++) {
    await broker.next('meter')
    clock.advance(60_000)
  }
  expect(await detail(broker, 'meter')).toMatchObject({
    ...{ presence: 'POLLING', sinceDate: START, lastSeenDate: START + 120_000, lastSeenExact: true },
    ...{ firstSeenDate: START, pollSeconds: 60 },
  })
  expect(await statesOf(broker, 'meter', START)).toEqual(['POLLING'])

  await broker.server.kill()
  const after = await BrokerUnderTest.start({ dataDir: broker.dataDir, replaced: { clock } })
  const seen = { lastSeenDate: START + 120_000, lastSeenExact: true, firstSeenDate: START, pollSeconds: 60 }
  expect(await detail(after, 'meter')).toMatchObject(seen)
  clock.advance(600_000)
  expect(await detail(after, 'meter')).toMatchObject({ ...seen, presence: 'AWAY' })
  const spans = await spansOf(after, 'meter', START)
  expect(spans.map(({ state }) => state)).toEqual(['POLLING', 'UNKNOWN', 'AWAY'])
  expect(spans[1]).toMatchObject({ fromDate: START + 180_000, toDate: START + 480_000 })
})

test('presence: a server is killed while a device is connected → UNKNOWN from its last sign of life, the time is not exact', async () => {
  const clock = new HeldClock(START)
  const broker = await BrokerUnderTest.start({
    dataDir: await withClients('pump'),
    replaced: { clock },
    mqtt: true,
  })
  const device = await connect(broker)
  await device.subscribe('consumer/request/pump')
  await eventually(async () => expect(await detail(broker, 'pump')).toMatchObject({ presence: 'RECEIVING' }))
  clock.advance(61_000)
  await eventually(async () => expect(await runsOf(broker)).toMatchObject([{ aliveDate: START + 61_000 }]))
  clock.advance(30_000)

  const after = await BrokerUnderTest.start({ dataDir: broker.leftBehind(), replaced: { clock } })
  clock.advance(1_000)
  expect(await detail(after, 'pump')).toMatchObject({
    ...{ presence: 'AWAY', lastSeenDate: START + 61_000, lastSeenExact: false },
  })
  expect(await spansOf(after, 'pump', START)).toMatchObject([
    { state: 'RECEIVING', toDate: START + 61_000, transport: 'MQTT', reason: 'SERVER_LOST' },
    { state: 'UNKNOWN', toDate: START + 91_000 },
    { state: 'AWAY' },
  ])
  expect(await runsOf(after)).toMatchObject([
    { startedDate: START + 91_000, endedDate: null, how: null },
    { startedDate: START, aliveDate: START + 61_000, endedDate: START + 91_000, how: 'LOST' },
  ])
})

async function runsOf(broker: BrokerUnderTest): Promise<unknown> {
  return (await broker.rest.get('/admin/api/runs')).body
}

test('presence: a device returns after hours → its usual absence, in the list and alone, without the present one', async () => {
  const clock = new HeldClock(START)
  const broker = await BrokerUnderTest.start({
    dataDir: await withClients('pump'),
    replaced: { clock },
    mqtt: true,
  })
  const usual = async (path: string) => (await broker.rest.get(path)).body as { usualAbsenceSeconds: number }
  const first = await connect(broker)
  clock.advance(MINUTE_MS)
  await first.end()
  await eventually(async () => expect(await detail(broker, 'pump')).toMatchObject({ presence: 'AWAY' }))
  expect(await usual('/admin/api/devices/pump?details=true')).toMatchObject({ usualAbsenceSeconds: null })
  clock.advance(180 * MINUTE_MS)
  const second = await connect(broker)
  clock.advance(MINUTE_MS)
  await eventually(async () =>
    expect(await statesOf(broker, 'pump', START)).toEqual(['CONNECTED', 'AWAY', 'CONNECTED']),
  )
  expect(await usual('/admin/api/devices/pump?details=true')).toMatchObject({ usualAbsenceSeconds: 10_800 })
  await second.end()
  clock.advance(600 * MINUTE_MS)
  const { body } = await broker.rest.get('/admin/api/devices?details=true')
  expect(body).toMatchObject([{ deviseId: 'pump', usualAbsenceSeconds: 10_800 }])
  expect(await usual('/admin/api/devices/pump')).not.toHaveProperty('usualAbsenceSeconds')
})

test('presence: a login without a subscription to its commands → CONNECTED; how it ended → the reason', async () => {
  const clock = new HeldClock(START)
  const broker = await BrokerUnderTest.start({
    dataDir: await withClients('pump'),
    replaced: { clock },
    mqtt: true,
  })
  const device = await connect(broker)
  await eventually(async () => expect(await detail(broker, 'pump')).toMatchObject({ presence: 'CONNECTED' }))
  clock.advance(1_000)
  const newer = await connect(broker)
  await device.closed
  clock.advance(1_000)
  await newer.end()
  await eventually(async () => expect(await detail(broker, 'pump')).toMatchObject({ presence: 'AWAY' }))
  clock.advance(1_000)
  const reasons = (await spansOf(broker, 'pump', START)).map(({ state, reason }) => `${state} ${reason}`)
  expect(reasons).toEqual(['CONNECTED TAKEN_OVER', 'CONNECTED CLIENT', 'AWAY null'])
})

interface Entry {
  readonly id: string
  readonly kind: string
  readonly reason: string | null
  readonly by: string | null
  readonly detail: Record<string, unknown>
}
const logOf = async (broker: BrokerUnderTest, id: string, query = '') =>
  (await broker.rest.get(`/admin/api/devices/${id}/log${query}`)).body as unknown as Entry[]
const shortOf = ({ kind, reason }: Entry): string => `${kind} ${reason ?? ''}`.trim()

test('device log: connects, is refused, is changed, and the server restarts → newest first, page by page', async () => {
  const clock = new HeldClock(START)
  const dataDir = await withClients('pump')
  const broker = await BrokerUnderTest.start({ dataDir, replaced: { clock }, mqtt: true })
  clock.advance(1_000)
  const device = await connect(broker)
  clock.advance(40)
  await device.subscribe('consumer/request/pump')
  clock.advance(60_000)
  await device.end()
  await eventually(async () => expect(await detail(broker, 'pump')).toMatchObject({ presence: 'AWAY' }))
  clock.advance(1_000)
  const wrong = { port: broker.mqttPort, username: 'pump', password: 'wrong' }
  for (let time = 0; time < 3; time++) await expect(MqttPeer.connect(wrong)).rejects.toThrow()
  await expect(MqttPeer.connect({ ...wrong, username: 'stranger' })).rejects.toThrow()
  clock.advance(1_000)
  await broker.rest.put('/admin/api/devices/pump', { maxAttempts: 3 })
  clock.advance(1_000)
  await broker.server.kill()

  const after = await BrokerUnderTest.start({ dataDir, replaced: { clock } })
  clock.advance(1_000)
  const entries = await logOf(after, 'pump')
  expect(entries.map(shortOf)).toEqual([
    'SERVER STARTED',
    'SERVER STOPPED',
    'CHANGED device.settings',
    'REFUSED WRONG_CREDENTIALS',
    'DISCONNECTED CLIENT',
    'SUBSCRIBED',
    'CONNECTED',
    'SERVER STARTED',
  ])
  expect(entries[0]?.detail).toEqual({ release: expect.any(String) })
  expect(entries[2]).toMatchObject({ by: 'admin', detail: { maxAttempts: 3 } })
  expect(entries[3]).toMatchObject({ detail: { count: 3, message: expect.stringMatching(/./) } })
  expect(entries.slice(4, 7).map(({ detail }) => detail)).toEqual([
    { seconds: 60 },
    { afterMs: 40 },
    { session: 'pump-session', version: '3.1.1' },
  ])
  expect(await logOf(after, 'stranger', '?kind=REFUSED')).toEqual([])
  const first = await logOf(after, 'pump', '?limit=3')
  const rest = await logOf(after, 'pump', `?before=${first.at(-1)?.id}`)
  expect([...first, ...rest]).toEqual(entries)
  expect((await logOf(after, 'pump', '?kind=REFUSED,CHANGED')).map(({ kind }) => kind)).toEqual([
    'CHANGED',
    'REFUSED',
  ])
})

test('devices: not seen for a time → those, and those never seen; a bad range → 400', async () => {
  const clock = new HeldClock(START)
  const broker = await BrokerUnderTest.start({ replaced: { clock } })
  await broker.rest.post('/admin/api/clients', { deviseId: 'never', password: 'sesame-sesame' })
  for (const id of ['old', 'new']) await broker.send(id, { command: 'go' })
  await broker.next('old')
  clock.advance(8 * MINUTE_MS)
  await broker.next('new')
  const unseen = await broker.rest.get(`/admin/api/devices?details=true&unseenSeconds=${7 * 60}`)
  expect((unseen.body as unknown as Shown[]).map(({ deviseId }) => deviseId)).toEqual(
    expect.arrayContaining(['never', 'old']),
  )
  const refused = await broker.rest.get(`/admin/api/devices/old/presence?from=${START}&to=${START}`)
  expect(refused).toMatchObject({ status: 400 })
})
