/** Tests /admin/api/overview, and the alerts for operators. */
import { describe, expect, test } from 'vitest'
import { type Alert, type AlertSources, findAlerts } from '../../src/broker/views/alerts.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { RejectionLog } from '../../src/broker/views/rejection-log.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { clockOf, HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { message } from '../_support/message.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { call } from '../_support/rest.ts'
import { TemporaryStore } from '../_support/store.ts'

const OVERVIEW = '/admin/api/overview'
const NO_DETAILS = { since: null, deviseId: null, messageId: null, address: null, value: null, limit: null }

interface Overview {
  readonly [name: string]: unknown
  readonly attention: readonly { readonly kind: string }[]
}

async function overviewOf(broker: BrokerUnderTest): Promise<Overview> {
  const { status, body } = await broker.rest.get(OVERVIEW)
  expect(status).toBe(200)
  const { attention, ...rest } = body as Overview
  // The disk of the machine that runs the tests may be nearly full.
  return { ...rest, attention: attention.filter(({ kind }) => kind !== 'DISK_NEARLY_FULL') }
}

describe(`adapter ${ADAPTER}`, () => {
  test('overview: a new broker → everything is zero, no alerts', async () => {
    const from = Date.now()
    const broker = await BrokerUnderTest.start()
    const { date, since, minutes, hours, ...overview } = await overviewOf(broker)
    expect(overview).toEqual({
      devices: { online: 0, seenInHour: 0 },
      connections: 0,
      waiting: 0,
      oldestWaiting: null,
      failed: { completedWithError: 0, unknown: 0, notAcknowledged: 0 },
      perMinute: 0,
      attention: [],
    })
    expect(since).toBeGreaterThanOrEqual(from - (from % 60_000))
    expect(date).toBeGreaterThanOrEqual(since as number)
    const zeros = (items: number) => ({
      stored: Array(items).fill(0),
      completed: Array(items).fill(0),
      failed: Array(items).fill(0),
    })
    expect(minutes).toEqual({ from: expect.any(Number), step: 60_000, ...zeros(60) })
    expect(hours).toEqual({ from: expect.any(Number), step: 3_600_000, ...zeros(24) })
  })

  test('overview: pending, completed and failed messages, failed logins → counted, with alerts', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '5' } })
    const done = await broker.send('pump', { command: 'a' })
    const failed = await broker.send('pump', { command: 'b' })
    const pending = await broker.send('valve', { command: 'c' })
    for (const command of ['d', 'e', 'f']) await broker.send('valve', { command })
    await broker.acknowledge('pump', { id: done, deliveryStatus: 'COMPLETED' })
    await broker.acknowledge('pump', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    for (let i = 0; i < 5; i++) {
      await call(broker.server.url, 'POST', '/auth/login', { deviseId: 'admin', password: 'wrong' })
    }

    const overview = await overviewOf(broker)
    expect(overview).toMatchObject({
      waiting: 4,
      oldestWaiting: { id: pending, deviseId: 'valve', date: expect.any(Number) },
      failed: { completedWithError: 1, unknown: 0, notAcknowledged: 0 },
      attention: [
        { ...NO_DETAILS, kind: 'QUEUE_NEARLY_FULL', deviseId: 'valve', value: 4, limit: 5 },
        { ...NO_DETAILS, kind: 'FAILED', deviseId: 'pump', messageId: failed, since: expect.any(Number) },
        {
          ...NO_DETAILS,
          kind: 'LOGIN_REFUSED',
          deviseId: 'admin',
          address: '127.0.0.1',
          value: 5,
          since: expect.any(Number),
        },
      ],
    })
    expect(overview.perMinute).toBeGreaterThan(0)
    const sum = (series: unknown, name: string): number =>
      (series as Record<string, number[]>)[name]?.reduce((a, b) => a + b) ?? Number.NaN
    for (const series of [overview.minutes, overview.hours]) {
      expect([sum(series, 'stored'), sum(series, 'completed'), sum(series, 'failed')]).toEqual([6, 1, 1])
    }

    await broker.acknowledge('valve', { id: pending, deliveryStatus: 'COMPLETED' })
    const { attention, waiting } = await overviewOf(broker)
    expect(waiting).toBe(3)
    expect(attention.map(({ kind }) => kind)).toEqual(['FAILED', 'LOGIN_REFUSED'])
  })

  test('overview: an MQTT device that does not acknowledge → online, an alert until it acknowledges', async () => {
    const dataDir = await withClients('lamp')
    const env = { COMMON_SEND_MESSAGE_PERIOD: '0', COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '20' }
    const broker = await BrokerUnderTest.start({ dataDir, env, mqtt: true })
    const login = { username: 'lamp', password: PASSWORD }
    const peer = await MqttPeer.connect({ port: broker.mqttPort, ...login })
    await peer.subscribe('consumer/request/lamp')
    const id = await broker.send('lamp', { command: 'on' })
    const item = { ...NO_DETAILS, kind: 'NOT_ACKNOWLEDGED', deviseId: 'lamp', messageId: id }
    await eventually(async () => {
      const { devices, connections, attention } = await overviewOf(broker)
      expect([devices, connections]).toEqual([{ online: 1, seenInHour: 1 }, 1])
      expect(attention).toEqual([{ ...item, value: expect.any(Number), since: expect.any(Number) }])
    })
    const before = (await overviewOf(broker)).failed as { notAcknowledged: number }
    expect(before.notAcknowledged).toBeGreaterThanOrEqual(3)

    await peer.publish('consumer/response/lamp', { id, deliveryStatus: 'COMPLETED' })
    await eventually(async () => expect((await overviewOf(broker)).attention).toEqual([]))
    await peer.drop()
    await eventually(async () => {
      expect(await overviewOf(broker)).toMatchObject({
        devices: { online: 0, seenInHour: 1 },
        connections: 0,
      })
    })
  })

  test('overview: a server that was killed → pending messages, failures and series as before', async () => {
    const broker = await BrokerUnderTest.start()
    const id = await broker.send('pump', { command: 'a' })
    const failed = await broker.send('valve', { command: 'b' })
    await broker.acknowledge('valve', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    const before = await overviewOf(broker)
    await broker.server.kill()
    const again = await BrokerUnderTest.start({ dataDir: broker.dataDir })
    const { failed: failures, hours } = before
    expect(await overviewOf(again)).toMatchObject({
      waiting: 1,
      oldestWaiting: { id },
      failed: failures,
      hours,
    })
    expect(failures).toEqual({ completedWithError: 1, unknown: 0, notAcknowledged: 0 })
  })
})

describe('presence', () => {
  test('devices seen since a time → those online, and those seen later', () => {
    const clock = { nowMs: 1000 }
    const presence = new Presence(clockOf(() => clock.nowMs))
    presence.seen('long ago')
    presence.connected('there', 'MQTT')
    clock.nowMs = 2000
    presence.seen('lately')
    expect(presence.count(1500)).toEqual({ online: 1, seen: 2 })
    expect(presence.count(1000)).toEqual({ online: 1, seen: 3 })
  })
})

describe('alerts', () => {
  const MINUTE = 60_000
  const LIMITS = { messages: 10_000, bytes: 0 }
  const ROOMY_DISK = { directory: '/', database: 0, log: 0, free: 1e12, disk: 1e12 }

  async function attention(
    store: TemporaryStore,
    parts: Partial<AlertSources> = {},
  ): Promise<Partial<Alert>[]> {
    const none = { unanswered: [], deaf: [], refusedAnswers: [], silent: [], rejections: [] }
    const quiet = { ...none, clockBehindMs: null, openQueueClients: null }
    const sources = { store: store.stats, space: ROOMY_DISK, ...quiet, nowMs: Date.now() }
    const found = await findAlerts({ ...sources, ...parts })
    return found.map((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)))
  }

  test('messages pending for over an hour → the oldest of each device', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    const nowMs = Date.now()
    const put = (deviceId: string, minutes: number) => {
      clock.setWall(nowMs - minutes * MINUTE)
      return store.messages.enqueue(message({ deviceId }), LIMITS)
    }
    const { id: pump } = await put('pump', 90)
    await put('pump', 80)
    const { id: valve } = await put('valve', 70)
    await put('lamp', 50)
    expect(await attention(store, { nowMs })).toEqual([
      { kind: 'WAITING_LONG', deviceId: 'pump', messageId: pump, sinceMs: nowMs - 90 * MINUTE },
      { kind: 'WAITING_LONG', deviceId: 'valve', messageId: valve, sinceMs: nowMs - 70 * MINUTE },
    ])
  })

  test('oldest pending message, before and after it is indexed, and after a restart → the same', async () => {
    const store = new TemporaryStore({ clock: new HeldClock(1000) })
    const put = (deviceId: string) => store.messages.enqueue(message({ deviceId }), LIMITS)
    const stored = await Promise.all(Array.from({ length: 1_500 }, () => put('pump')))
    const last = await put('valve')
    const acknowledged = stored.slice(0, 1_400).map(({ id }) => {
      return store.messages.acknowledge({
        ...{ deviceId: 'pump', messageId: id, status: 'COMPLETED' },
        by: null,
        report: null,
      } as const)
    })
    await Promise.all(acknowledged)
    const oldest = [
      { messageId: 1_401, deviceId: 'pump', atMs: 1000 },
      { messageId: last.id, deviceId: 'valve', atMs: 1000 },
    ]
    expect(await store.stats.oldest(5)).toEqual(oldest)
    expect(await store.stats.oldest(1)).toEqual(oldest.slice(0, 1))
    await store.indexed(1_500)
    expect(await store.stats.oldest(5)).toEqual(oldest)
    await store.reopen()
    expect(await store.stats.oldest(5)).toEqual(oldest)
    expect(store.stats.pending()).toBe(101)
  })

  test('failures → those of one day, latest first, at most five', async () => {
    const clock = new HeldClock()
    const store = new TemporaryStore({ clock })
    const nowMs = Date.now()
    const ids: number[] = []
    for (let i = 0; i < 7; i++) {
      clock.setWall(i === 6 ? nowMs - 25 * 60 * MINUTE : nowMs - i * MINUTE)
      const { id } = await store.messages.enqueue(message(), LIMITS)
      ids.push(id)
      const status = 'COMPLETED_WITH_ERROR'
      await store.messages.acknowledge({ deviceId: 'pump', messageId: id, status, by: null, report: null })
    }
    const found = await attention(store, { nowMs })
    expect(found.map(({ messageId }) => messageId).sort()).toEqual(ids.slice(1, 6))
    expect(found[0]).toEqual({
      kind: 'FAILED',
      deviceId: 'pump',
      messageId: ids[1],
      sinceMs: nowMs - MINUTE,
    })
  })

  test('a nearly full disk, refused logins, a message without acknowledgement → an alert for each', async () => {
    const store = new TemporaryStore()
    const clock = { nowMs: 0 }
    const rejections = new RejectionLog(() => clock.nowMs)
    const refuse = (deviceId: string, times: number): void => {
      const message = 'The password is wrong.'
      for (let i = 0; i < times; i++) {
        rejections.record({
          ...{ reason: 'WRONG_CREDENTIALS', message, deviceId },
          ...{ clientId: null, address: '10.0.0.1', transport: 'REST' },
        })
      }
    }
    refuse('earlier', 9)
    clock.nowMs = Date.now()
    refuse('often', 5)
    refuse('seldom', 4)
    const unanswered = [{ deviceId: 'deaf', messageId: 7, times: 3, sinceMs: 5, lastMs: 9 }]
    const space = { ...ROOMY_DISK, free: 49e9 }
    const found = await attention(store, {
      space,
      unanswered,
      rejections: await rejections.all(),
      nowMs: clock.nowMs,
    })
    expect(found).toEqual([
      { kind: 'DISK_NEARLY_FULL', value: 49e9, limit: 1e12 },
      { kind: 'NOT_ACKNOWLEDGED', deviceId: 'deaf', messageId: 7, value: 3, sinceMs: 5 },
      { kind: 'LOGIN_REFUSED', deviceId: 'often', address: '10.0.0.1', value: 5, sinceMs: clock.nowMs },
    ])
  })
})

test('rejection log: the same client and reason again → counted in one entry; at most 200 entries', async () => {
  const clock = { nowMs: 1 }
  const rejections = new RejectionLog(() => clock.nowMs)
  const record = (deviceId: string, message: string): void =>
    rejections.record({
      ...{ reason: 'PROTOCOL_ERROR', message, deviceId },
      ...{ clientId: 'x', address: '::1', transport: 'MQTT' },
    })
  record('a', 'first')
  record('b', 'x'.repeat(1_000))
  clock.nowMs = 2
  record('a', 'second')
  expect(await rejections.all()).toMatchObject([
    { deviceId: 'a', message: 'second', count: 2, firstAtMs: 1, atMs: 2 },
    { deviceId: 'b', message: `${'x'.repeat(255)}…`, count: 1, firstAtMs: 1, atMs: 1 },
  ])
  for (let i = 0; i < 300; i++) record(`device ${i}`, 'x')
  expect(await rejections.all()).toHaveLength(200)
  expect((await rejections.all()).at(-1)?.deviceId).toBe('device 100')
})
