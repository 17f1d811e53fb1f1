/** The alerts that follow from facts: parked and unfinished messages, deaf and silent devices, the clock, queues by bytes. */

import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/broker/contract/presence-store.ts'
import { type Alert, type AlertSources, findAlerts } from '../../src/broker/views/alerts.ts'
import { Downtime } from '../../src/broker/views/downtime.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { SilentDevices } from '../../src/broker/views/silent-devices.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { FAILED_STATUSES } from '../../src/broker/vocabulary/status.ts'
import { clockOf } from '../_support/clock.ts'

const NOW = 1_000_000_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const QUIET: AlertSources = {
  store: {
    failedAtMs: null,
    oldest: async () => [],
    nearlyFull: () => [],
    newest: async () => [],
    unknown: async () => [],
  },
  space: { directory: '/', database: 0, log: 0, free: 1e12, disk: 1e12 },
  clockBehindMs: null,
  unanswered: [],
  deaf: [],
  refusedAnswers: [],
  silent: [],
  openQueueClients: null,
  rejections: [],
  nowMs: NOW,
}

/** Returns the alerts without the parts that are null. */
async function alertsOf(
  parts: Partial<Omit<AlertSources, 'store'>> & { readonly store?: Partial<AlertSources['store']> },
): Promise<Partial<Alert>[]> {
  const found = await findAlerts({ ...QUIET, ...parts, store: { ...QUIET.store, ...parts.store } })
  return found.map((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)))
}

test('nothing is wrong → no alert', async () => {
  expect(await alertsOf({})).toEqual([])
})

test('parked and unfinished messages of one day → one alert each, with the number and the oldest', async () => {
  let sinceMs = 0
  const oldest = { messageId: 3, deviceId: 'pump', atMs: NOW - HOUR }
  const found = await alertsOf({
    store: {
      unknown: async (from) => {
        sinceMs = from
        return [
          { cause: 'NOT_FINISHED', count: 2, oldest },
          { cause: 'CONNECTION_BROKE', count: 9, oldest },
          { cause: 'NOT_ACKNOWLEDGED', count: 41, oldest },
        ]
      },
    },
  })
  const message = { messageId: 3, deviceId: 'pump', sinceMs: NOW - HOUR }
  expect(found).toEqual([
    { kind: 'PARKED', ...message, value: 41 },
    { kind: 'NOT_FINISHED', ...message, value: 2 },
  ])
  expect(sinceMs).toBe(NOW - DAY)
})

test('failures → without the messages that are parked or not finished', async () => {
  const asked: unknown[] = []
  const found = await alertsOf({
    store: {
      newest: async (status, _sinceMs, _limit, without) => {
        asked.push([status, without])
        return status === 'UNKNOWN' ? [{ messageId: 5, deviceId: 'lamp', atMs: NOW - HOUR }] : []
      },
    },
  })
  expect(found).toEqual([{ kind: 'FAILED', messageId: 5, deviceId: 'lamp', sinceMs: NOW - HOUR }])
  const own = ['NOT_ACKNOWLEDGED', 'NOT_FINISHED']
  expect(asked).toEqual(FAILED_STATUSES.map((status) => [status, own]))
})

test('queues that are nearly full by messages and by bytes → value, limit and unit of each', async () => {
  const found = await alertsOf({
    store: {
      nearlyFull: () => [
        { deviceId: 'pump', value: 8, limit: 10, of: 'messages' },
        { deviceId: 'lamp', value: 900, limit: 1000, of: 'bytes' },
      ],
    },
  })
  expect(found).toEqual([
    { kind: 'QUEUE_NEARLY_FULL', deviceId: 'pump', value: 8, limit: 10, unit: 'messages' },
    { kind: 'QUEUE_NEARLY_FULL', deviceId: 'lamp', value: 900, limit: 1000, unit: 'bytes' },
  ])
})

test('deaf devices → at most five, the longest deaf one first', async () => {
  const deaf = [4, 2, 6, 1, 5, 3].map((n) => ({ deviceId: `device-${n}`, sinceMs: n }))
  const found = await alertsOf({ deaf })
  expect(found.map(({ deviceId }) => deviceId)).toEqual([1, 2, 3, 4, 5].map((n) => `device-${n}`))
  expect(found[0]).toEqual({ kind: 'DEVICE_DEAF', deviceId: 'device-1', sinceMs: 1 })
})

test('several conditions → the clock before queues, parked before deaf, silent before failures', async () => {
  const ref = { messageId: 1, deviceId: 'a', atMs: NOW - HOUR - 1 }
  const found = await alertsOf({
    clockBehindMs: 6_000.4,
    deaf: [{ deviceId: 'a', sinceMs: 1 }],
    silent: [{ deviceId: 'b', sinceMs: NOW - 90_500, expectedSeconds: 60 }],
    unanswered: [{ deviceId: 'a', messageId: 2, times: 3, sinceMs: 5, lastMs: 9 }],
    store: {
      oldest: async () => [ref],
      unknown: async () => [{ cause: 'NOT_ACKNOWLEDGED', count: 3, oldest: ref }],
      nearlyFull: () => [{ deviceId: 'a', value: 8, limit: 10, of: 'messages' }],
    },
  })
  expect(found.map(({ kind }) => kind)).toEqual([
    ...['CLOCK_BEHIND', 'QUEUE_NEARLY_FULL', 'PARKED', 'DEVICE_DEAF', 'NOT_ACKNOWLEDGED'],
    ...['DEVICE_SILENT', 'WAITING_LONG'],
  ])
  expect(found[0]).toEqual({ kind: 'CLOCK_BEHIND', value: 6_001 })
  expect(found[5]).toEqual({
    kind: 'DEVICE_SILENT',
    deviceId: 'b',
    sinceMs: NOW - 90_500,
    value: 90,
    limit: 60,
  })
})

const NO_DOWNTIME = { msSince: () => 0 }

describe('silent devices', () => {
  const SECOND = 1000

  interface World {
    readonly presence: Presence
    readonly startedAtMs?: number
    readonly nowMs: number
    readonly general?: number
    readonly downtime?: Pick<Downtime, 'msSince'>
  }

  /** Returns the silent ones of devices with these expected seconds. All of them are in the list of devices. */
  function silentOf(
    expected: Record<string, number | null>,
    { presence, startedAtMs = 0, nowMs, general = 0, downtime = NO_DOWNTIME }: World,
  ) {
    const all = new Map<string, DeviceSettings>()
    for (const [deviceId, expectedSeconds] of Object.entries(expected))
      all.set(deviceId, { ...GENERAL_SETTINGS, expectedSeconds })
    const of = (deviceId: string) => all.get(deviceId) ?? GENERAL_SETTINGS
    const directory = { ids: async () => [...all.keys()] }
    const settings = { all: () => all, of }
    const sources = { settings, presence, directory, downtime, expectedSeconds: general, startedAtMs }
    return new SilentDevices(sources).at(nowMs)
  }

  test('seen at a time → silent exactly when the expected seconds have passed', async () => {
    const clock = { nowMs: 100 * SECOND }
    const presence = new Presence(clockOf(() => clock.nowMs))
    presence.seen('pump')
    expect(await silentOf({ pump: 60 }, { presence, nowMs: 160 * SECOND - 1 })).toEqual([])
    expect(await silentOf({ pump: 60 }, { presence, nowMs: 160 * SECOND })).toEqual([
      { deviceId: 'pump', sinceMs: 100 * SECOND, expectedSeconds: 60 },
    ])
    clock.nowMs = 170 * SECOND
    presence.seen('pump')
    expect(await silentOf({ pump: 60 }, { presence, nowMs: 170 * SECOND })).toEqual([])
  })

  test('a server that ran from time to time → only the time in which one ran counts', async () => {
    const run = { nodeId: null, release: '1.0.0' }
    const runs: Run[] = [
      { ...run, id: 3, startedMs: 260 * SECOND, aliveMs: 300 * SECOND, endedMs: null, how: null },
      { ...run, id: 2, startedMs: 150 * SECOND, aliveMs: 200 * SECOND, endedMs: 260 * SECOND, how: 'LOST' },
      { ...run, id: 1, startedMs: 0, aliveMs: 100 * SECOND, endedMs: 100 * SECOND, how: 'STOPPED' },
    ]
    const presence = new Presence(clockOf(() => 90 * SECOND))
    presence.seen('pump')
    const downtime = new Downtime(
      { runs: async () => runs },
      clockOf(() => 300 * SECOND),
    )
    await downtime.load()
    // 10, 50 and 40 seconds up to the time 300, and 110 without a server.
    expect(await silentOf({ pump: 100 }, { presence, downtime, nowMs: 300 * SECOND - 1 })).toEqual([])
    expect(await silentOf({ pump: 100 }, { presence, downtime, nowMs: 300 * SECOND })).toEqual([
      { deviceId: 'pump', sinceMs: 90 * SECOND, expectedSeconds: 100 },
    ])
    expect([0, 120, 230, 270].map((at) => downtime.msSince(at * SECOND) / SECOND)).toEqual([110, 90, 30, 0])
  })

  test('never seen → counted from the start of the process', async () => {
    const sources = { presence: new Presence(clockOf(() => 0)), startedAtMs: 500 * SECOND }
    expect(await silentOf({ pump: 60 }, { ...sources, nowMs: 559 * SECOND })).toEqual([])
    expect(await silentOf({ pump: 60 }, { ...sources, nowMs: 560 * SECOND })).toMatchObject([
      { deviceId: 'pump', sinceMs: 500 * SECOND },
    ])
  })

  test('connected, or without an expected time → not silent', async () => {
    const clock = { nowMs: 0 }
    const presence = new Presence(clockOf(() => clock.nowMs))
    presence.connected('online', 'MQTT')
    clock.nowMs = 900 * SECOND
    expect(await silentOf({ online: 60, free: null }, { presence, nowMs: 900 * SECOND })).toEqual([])
  })

  test('several → the one that is overdue for the longest time first', async () => {
    const silent = await silentOf(
      { daily: 500, minutely: 60, late: 300 },
      { presence: new Presence(), nowMs: 600 * SECOND },
    )
    expect(silent.map(({ deviceId }) => deviceId)).toEqual(['minutely', 'late', 'daily'])
  })

  test('a general value → for devices that were seen and have no own value; an own 0 is never', async () => {
    const clock = { nowMs: 100 * SECOND }
    const presence = new Presence(clockOf(() => clock.nowMs))
    for (const deviceId of ['pump', 'own', 'free']) presence.seen(deviceId)
    const expected = { pump: null, own: 600, free: 0, unseen: null }
    const before = { presence, nowMs: 160 * SECOND - 1, general: 60 }
    expect(await silentOf(expected, before)).toEqual([])
    expect(await silentOf(expected, { ...before, nowMs: 160 * SECOND })).toEqual([
      { deviceId: 'pump', sinceMs: 100 * SECOND, expectedSeconds: 60 },
    ])
    expect(await silentOf(expected, { ...before, nowMs: 700 * SECOND })).toHaveLength(2)
    expect(await silentOf(expected, { ...before, nowMs: 700 * SECOND, general: 0 })).toHaveLength(1)
  })
})
