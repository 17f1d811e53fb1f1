/** Alerts by device and kind, their acknowledgement by people, and the reports of their changes. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ACK_MS, type AlertAck } from '../../src/broker/contract/alert-acks.ts'
import type { OpenSignal } from '../../src/broker/contract/incident-store.ts'
import type { FailedMessages } from '../../src/broker/contract/store-stats.ts'
import type { AlertFacts } from '../../src/broker/views/alert-facts.ts'
import { findAlertGroups } from '../../src/broker/views/alert-groups.ts'
import { AlertList } from '../../src/broker/views/alert-list.ts'
import { withoutDevices } from '../../src/broker/views/alert-store.ts'
import { type AlertChange, alertWatch } from '../../src/broker/views/alert-watch.ts'
import { whenDone } from '../_support/cleanup.ts'

const NOW = 1_000_000_000
const HOUR = 3_600_000
const BOSS = { clientId: 'boss', keyId: null, address: null }

const STATS = {
  failedAtMs: null,
  pending: () => 0,
  oldest: async () => [],
  nearlyFull: () => [],
  newest: async () => [],
  unknown: async () => [],
  failures: async (): Promise<FailedMessages[]> => [],
  space: async () => ({ directory: '/', database: 0, log: 0, free: 1e12, disk: 1e12 }),
  counts: async () => ({ messagesAtMost: 0, templates: 0 }),
}

const failed = (deviceId: string, parts: Partial<FailedMessages> = {}): FailedMessages => ({
  ...{ deviceId, cause: null, count: 1, sinceMs: NOW - HOUR },
  latest: { deviceId, messageId: 7, command: 'calibrate', reason: null, atMs: NOW - 1_000 },
  ...parts,
})

async function groupsOf(parts: Partial<AlertFacts>) {
  const found = await findAlertGroups({
    ...{
      store: STATS,
      space: await STATS.space(),
      clockBehindMs: null,
      unanswered: [],
      deaf: [],
      refusedAnswers: [],
      silent: [],
    },
    ...{ rejections: [], openQueueClients: null, nowMs: NOW },
    ...parts,
  })
  return found.map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)))
}

describe('devices without signals', () => {
  test('some devices are out of service → nothing of them, and as many of the others', async () => {
    const refs = ['pump', 'pump', 'lamp', 'fan'].map((deviceId) => ({ messageId: 7, deviceId, atMs: 1 }))
    const store = withoutDevices(
      {
        ...STATS,
        oldest: async (limit: number) => refs.slice(1).slice(0, limit),
        newest: async (_status, _sinceMs, limit) => refs.slice(0, limit),
        unknown: async (_sinceMs, without) => {
          expect(without).toEqual(['pump'])
          return []
        },
        failures: async () => [failed('pump'), failed('lamp')],
      },
      new Set(['pump']),
    )
    expect(await store.oldest(1)).toMatchObject([{ deviceId: 'lamp' }])
    expect(await store.newest('UNKNOWN', 0, 1)).toMatchObject([{ deviceId: 'lamp' }])
    expect(await store.failures(0)).toMatchObject([{ deviceId: 'lamp' }])
    expect(await store.nearlyFull(1)).toEqual([])
    await store.unknown(0)
    expect.assertions(5)
  })
})

describe('alerts by device and kind', () => {
  test('failures of two devices, some parked → one alert for each device and kind, parked first', async () => {
    const failures = [
      failed('pump-9', { count: 30 }),
      failed('lamp'),
      failed('pump-9', { cause: 'NOT_ACKNOWLEDGED', count: 2 }),
      failed('pump-9', {
        latest: { deviceId: 'pump-9', messageId: 3, command: 'open', reason: null, atMs: NOW - 2_000 },
      }),
    ]
    const found = await groupsOf({ store: { ...STATS, failures: async () => failures } })
    const latest = { messageId: 7, command: 'calibrate', sinceMs: NOW - HOUR, lastMs: NOW - 1_000 }
    expect(found).toEqual([
      { key: 'PARKED:pump-9', kind: 'PARKED', deviceId: 'pump-9', count: 2, ...latest },
      { key: 'FAILED:pump-9', kind: 'FAILED', deviceId: 'pump-9', count: 31, ...latest },
      { key: 'FAILED:lamp', kind: 'FAILED', deviceId: 'lamp', count: 1, ...latest },
    ])
  })

  test('logins with several names from one address → one alert with their sum and no name', async () => {
    const refused = (deviceId: string, count: number, atMs: number) =>
      ({
        ...{ reason: 'WRONG_CREDENTIALS' as const, message: '', clientId: null, transport: 'REST' },
        ...{ deviceId, address: '192.0.2.7', count, firstAtMs: atMs - 60_000, atMs },
      }) as const
    const rejections = [refused('pump', 5, NOW - 2), refused('root', 9, NOW - 1), refused('rare', 4, NOW)]
    expect(await groupsOf({ rejections })).toEqual([
      {
        ...{ key: 'LOGIN_REFUSED:192.0.2.7', kind: 'LOGIN_REFUSED', address: '192.0.2.7' },
        ...{ count: 14, value: 14, sinceMs: NOW - 60_002, lastMs: NOW - 1 },
      },
    ])
  })

  test('a device that acknowledges nothing → the message, its attempts, no command in the facts', async () => {
    const unanswered = [{ deviceId: 'lift-3', messageId: 5, times: 7, sinceMs: NOW - HOUR, lastMs: NOW - 9 }]
    expect(await groupsOf({ unanswered })).toEqual([
      {
        ...{ key: 'NOT_ACKNOWLEDGED:lift-3', kind: 'NOT_ACKNOWLEDGED', deviceId: 'lift-3', messageId: 5 },
        ...{ count: 1, value: 7, sinceMs: NOW - HOUR, lastMs: NOW - 9 },
      },
    ])
  })
})

describe('acknowledgement', () => {
  let nowMs: number
  let failures: FailedMessages[]
  let acks: Map<string, AlertAck>
  let signals: OpenSignal[]
  let alerts: AlertList

  beforeEach(() => {
    nowMs = NOW
    failures = [failed('pump', { count: 4 }), failed('lamp')]
    acks = new Map()
    signals = []
    const facts = {
      ...{ store: { ...STATS, failures: async () => failures }, presence: { of: () => null as never } },
      ...{ rejections: { all: () => [] }, silent: { at: async () => [] }, deaf: { all: () => [] } },
      ...{ unanswered: { withAttempts: () => [] }, refusedAnswers: { withCount: () => [] } },
      ...{ clockBehindMs: () => null, openQueueClients: () => null },
      pauses: { devicesWithoutSignals: () => new Set() },
    }
    alerts = new AlertList({
      facts: facts as never,
      acks: {
        all: async () => [...acks.values()],
        put: async (ack) => void acks.set(ack.key, { ...ack, atMs: nowMs }),
        remove: async (key) => acks.delete(key),
      },
      incidents: { covered: async () => [], openSignals: async () => signals },
      messages: { get: async () => null },
      now: () => nowMs,
    })
  })

  const openKeys = async () =>
    (await alerts.list({ isAcknowledged: false, limit: 9 })).items.map(({ key }) => key)

  test('incidents of alerts → by the keys of the alerts, which join the commands of a device', async () => {
    signals = [
      { kind: 'FAILED', key: 'FAILED:pump:open', deviceId: 'pump', incidentId: 7 },
      { kind: 'LOGIN_REFUSED', key: 'LOGIN_REFUSED:192.0.2.7', deviceId: 'pump', incidentId: 8 },
      { kind: 'DISK_NEARLY_FULL', key: 'DISK_NEARLY_FULL', deviceId: null, incidentId: 9 },
    ]
    expect([...(await alerts.incidentIds())]).toEqual([
      ['FAILED:pump', 7],
      ['LOGIN_REFUSED:192.0.2.7', 8],
      ['DISK_NEARLY_FULL', 9],
    ])
  })

  test('acknowledged → counted apart, in the list of acknowledged ones; opened again → open', async () => {
    await alerts.acknowledge('FAILED:pump', 'known', BOSS)
    expect(await alerts.list({ limit: 9 })).toMatchObject({ open: 1, acknowledged: 1 })
    const { items } = await alerts.list({ isAcknowledged: true, limit: 9 })
    expect(items).toMatchObject([
      { key: 'FAILED:pump', acknowledged: { by: 'boss', note: 'known', count: 4 } },
    ])
    expect(await openKeys()).toEqual(['FAILED:lamp'])
    await alerts.reopen('FAILED:pump', BOSS)
    expect(await openKeys()).toEqual(['FAILED:pump', 'FAILED:lamp'])
  })

  test('the count doubles → open again; one less → not', async () => {
    await alerts.acknowledge('FAILED:pump', null, BOSS)
    failures = [failed('pump', { count: 7 })]
    expect(await openKeys()).toEqual([])
    failures = [failed('pump', { count: 8 })]
    expect(await openKeys()).toEqual(['FAILED:pump'])
  })

  test('a day later → open again; a millisecond before → not', async () => {
    await alerts.acknowledge('FAILED:pump', null, BOSS)
    nowMs += ACK_MS - 1
    expect(await openKeys()).toEqual(['FAILED:lamp'])
    nowMs += 1
    expect(await openKeys()).toEqual(['FAILED:pump', 'FAILED:lamp'])
  })

  test('the condition ends and begins again → open', async () => {
    await alerts.acknowledge('FAILED:pump', null, BOSS)
    failures = []
    expect(await openKeys()).toEqual([])
    nowMs += 2
    failures = [failed('pump', { sinceMs: NOW + 1 })]
    expect(await openKeys()).toEqual(['FAILED:pump'])
  })

  test('an alert that is not there → unknown-alert', async () => {
    await expect(alerts.acknowledge('FAILED:none', null, BOSS)).rejects.toMatchObject({
      code: 'unknown-alert',
    })
    await expect(alerts.reopen('FAILED:none', BOSS)).rejects.toMatchObject({ code: 'unknown-alert' })
  })

  test('a listener → the present alerts, then what begins, is counted, acknowledged and ends', async () => {
    const watch = alertWatch({ alerts, log: { debug() {}, warn() {} }, periodMs: HOUR })
    const heard: Partial<AlertChange>[] = []
    whenDone(watch.onChange(({ key, state, count, open }) => heard.push({ key, state, count, open })))
    await watch.read()
    expect(heard.splice(0)).toMatchObject([{ key: 'FAILED:pump' }, { key: 'FAILED:lamp' }])
    failures = [failed('pump', { count: 5 }), failed('fan')]
    await watch.read()
    expect(heard.splice(0)).toEqual([
      { key: 'FAILED:lamp', state: 'ENDED', count: 1, open: 2 },
      { key: 'FAILED:pump', state: 'OPEN', count: 5, open: 2 },
      { key: 'FAILED:fan', state: 'OPEN', count: 1, open: 2 },
    ])
    await alerts.acknowledge('FAILED:fan', null, BOSS)
    await watch.read()
    expect(heard).toEqual([{ key: 'FAILED:fan', state: 'ACKNOWLEDGED', count: 1, open: 1 }])
  })
})
