/** Tests what the storage keeps of the presence of devices: runs, sightings and periods. */
import { describe, expect, test } from 'vitest'
import type { RecordedPeriod } from '../../src/broker/contract/presence-store.ts'
import type { StorageUnderTest } from './storage.ts'

const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'
const MINUTE = 60_000
const NOTHING = { sightings: [], periods: [], events: [] }

const PERIOD: RecordedPeriod = {
  number: 1,
  deviceId: 'pump',
  transport: 'MQTT',
  beganAgeMs: 0,
  endedAgeMs: null,
  receivesAgeMs: null,
  address: '192.0.2.7',
  session: HOSTILE,
  version: '5',
  reason: null,
  detail: null,
}
const seen = (
  deviceId: string,
  ageMs = 0,
  transport: string | null = null,
  pollSeconds: number | null = null,
) => ({
  deviceId,
  firstAgeMs: ageMs,
  ageMs,
  transport,
  pollSeconds,
})

/** Returns ended connections of a device, one a minute, the latest one `ageMs` ago. */
const connections = (
  deviceId: string,
  first: number,
  count: number,
  parts: Partial<RecordedPeriod> = {},
): RecordedPeriod[] =>
  Array.from({ length: count }, (_, i) => {
    const ageMs = (i + 1) * MINUTE
    const ended = { beganAgeMs: ageMs, endedAgeMs: ageMs - 1, reason: 'KEEP_ALIVE' } as const
    return { ...PERIOD, ...ended, deviceId, number: first + i, ...parts }
  })

/** @param current returns the empty storage of the present test */
export function presenceContract(current: () => StorageUnderTest): void {
  describe('presence', () => {
    test('presence: runs begin, stop and are lost → as they were, the newest first', async () => {
      const { storage, clock, reopen } = current()
      clock.setWall(10 * MINUTE)
      const first = await storage.presence.begin('1.0.0')
      expect(first.nowMs).toBe(10 * MINUTE)
      clock.setWall(11 * MINUTE)
      await storage.presence.record(first.runId, NOTHING, 'ENDED')
      clock.setWall(12 * MINUTE)
      const second = await storage.presence.begin('1.0.1')
      clock.setWall(13 * MINUTE)
      await storage.presence.record(second.runId, NOTHING, 'ALIVE')
      const again = await reopen()
      clock.setWall(14 * MINUTE)
      const third = await again.presence.begin('1.0.2')
      const runs = await again.presence.runs(0, 20 * MINUTE, 9)
      expect(runs.map(({ nodeId, ...run }) => run)).toEqual([
        run(third.runId, '1.0.2', 14, 14, null, null),
        run(second.runId, '1.0.1', 12, 13, 14, 'LOST'),
        run(first.runId, '1.0.0', 10, 11, 11, 'STOPPED'),
      ])
      expect(await again.presence.runs(15 * MINUTE, 20 * MINUTE, 9)).toHaveLength(1)
      expect(await again.presence.runs(0, 12 * MINUTE, 9)).toHaveLength(1)
    })

    test('presence: sightings → the first and the last of each device, by ages; a lost run leaves them inexact', async () => {
      const { storage, clock, reopen } = current()
      const { presence } = storage
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      await presence.record(
        runId,
        {
          sightings: [seen(HOSTILE, MINUTE), seen('pump', 0, 'MQTT'), seen('meter', 0, 'REST', 600)],
          periods: [],
          events: [],
        },
        'ALIVE',
      )
      clock.setWall(102 * MINUTE)
      await presence.record(runId, { sightings: [seen(HOSTILE)], periods: [], events: [] }, 'ALIVE')
      clock.setWall(200 * MINUTE)
      await presence.record(runId, NOTHING, 'ALIVE')
      const exact = { isExact: true, transport: null, pollSeconds: null }
      const hostile = { deviceId: HOSTILE, firstMs: 99 * MINUTE, lastMs: 102 * MINUTE, ...exact }
      const pump = {
        deviceId: 'pump',
        firstMs: 100 * MINUTE,
        lastMs: 100 * MINUTE,
        ...exact,
        transport: 'MQTT',
      }
      expect(await presence.sightings(['pump', 'nobody', HOSTILE])).toEqual(
        expect.arrayContaining([pump, hostile]),
      )
      expect((await presence.latest(1)).map(({ deviceId }) => deviceId)).toEqual([HOSTILE])

      const again = (await reopen()).presence
      clock.setWall(201 * MINUTE)
      await again.begin('1.0.0')
      const after = new Map((await again.latest(9)).map((each) => [each.deviceId, each]))
      expect(after.get(HOSTILE)).toEqual(hostile)
      expect(after.get('pump')).toEqual({ ...pump, lastMs: 200 * MINUTE, isExact: false })
      // It may have polled last at any time in its window, three gaps.
      expect(after.get('meter')).toMatchObject({ lastMs: 170 * MINUTE, isExact: false, pollSeconds: 600 })
    })

    test('presence: the newest periods of several devices → of each at most the number, the newest first', async () => {
      const { presence } = current().storage
      const { clock } = current()
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      const period = (number: number, deviceId: string, beganAgeMs: number) => ({
        ...PERIOD,
        ...{ number, deviceId, beganAgeMs, endedAgeMs: beganAgeMs - MINUTE, reason: 'CLIENT' as const },
      })
      const periods = [
        period(1, 'pump', 50 * MINUTE),
        period(2, HOSTILE, 40 * MINUTE),
        period(3, 'pump', 30 * MINUTE),
        period(4, 'pump', 20 * MINUTE),
      ]
      await presence.record(runId, { sightings: [], periods, events: [] }, 'ALIVE')
      const found = await presence.recent([HOSTILE, 'nobody', 'pump'], 2)
      expect(found.map(({ deviceId, number }) => [deviceId, number])).toEqual([
        [HOSTILE, 2],
        ['pump', 4],
        ['pump', 3],
      ])
      expect(found[0]).toEqual({
        ...{ deviceId: HOSTILE, runId, number: 2, transport: 'MQTT', beganMs: 60 * MINUTE },
        ...{ endedMs: 61 * MINUTE, receivesMs: null, address: '192.0.2.7', session: HOSTILE },
        ...{ version: '5', reason: 'CLIENT', detail: null },
      })
      expect(await presence.recent([], 2)).toEqual([])
    })

    test('presence: periods begin, receive, end → as they were; a step of the clock never ends one before its begin', async () => {
      const { presence } = current().storage
      const { clock } = current()
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      await presence.record(
        runId,
        {
          ...NOTHING,
          periods: [
            { ...PERIOD, beganAgeMs: MINUTE, receivesAgeMs: 30_000 },
            { ...PERIOD, number: 2, transport: 'REST', address: null, session: null, version: null },
            { ...PERIOD, number: 3, deviceId: 'lamp' },
          ],
        },
        'ALIVE',
      )
      clock.setWall(50 * MINUTE)
      const detail = { message: HOSTILE, by: HOSTILE }
      const ended = { endedAgeMs: 0, reason: 'KEEP_ALIVE', detail } as const
      await presence.record(runId, { ...NOTHING, periods: [{ ...PERIOD, ...ended, beganAgeMs: 9 }] }, 'ALIVE')
      clock.setWall(110 * MINUTE)
      const { deviceId, beganAgeMs, endedAgeMs, receivesAgeMs, ...shown } = PERIOD
      expect(await presence.periods('pump', 0, 200 * MINUTE, 9)).toEqual([
        {
          ...{ ...shown, runId, number: 2, transport: 'REST', address: null, session: null, version: null },
          ...{ beganMs: 100 * MINUTE, endedMs: null, receivesMs: null },
        },
        {
          ...{ ...shown, runId, reason: 'KEEP_ALIVE', detail },
          ...{ beganMs: 99 * MINUTE, endedMs: 99 * MINUTE, receivesMs: 99.5 * MINUTE },
        },
      ])
      expect(await presence.periods('pump', 0, 200 * MINUTE, 1)).toHaveLength(1)
      expect(await presence.periods('pump', 0, 99 * MINUTE, 9)).toHaveLength(0)
      expect(await presence.periods('pump', 105 * MINUTE, 200 * MINUTE, 9)).toHaveLength(1)
    })

    test('presence: a period is stored again while it lasts, with its first subscription → it lasts', async () => {
      const { presence } = current().storage
      const { runId } = await presence.begin('1.0.0')
      await presence.record(runId, { ...NOTHING, periods: [PERIOD] }, 'ALIVE')
      await presence.record(runId, { ...NOTHING, periods: [{ ...PERIOD, receivesAgeMs: 0 }] }, 'ALIVE')
      const [period] = await presence.periods('pump', 0, Number.MAX_SAFE_INTEGER, 9)
      expect(period).toMatchObject({ endedMs: null, receivesMs: expect.any(Number) })
    })

    test('presence: a part of a batch → stored, and the run says nothing newer', async () => {
      const { storage, clock } = current()
      const { presence } = storage
      clock.setWall(10 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      clock.setWall(11 * MINUTE)
      await presence.record(runId, { ...NOTHING, sightings: [seen('pump')] }, 'PART')
      expect(await presence.sightings(['pump'])).toMatchObject([{ lastMs: 11 * MINUTE }])
      expect(await presence.runs(0, 20 * MINUTE, 9)).toMatchObject([{ aliveMs: 10 * MINUTE }])
    })

    test('presence: more rows than a table may have → a purge leaves the newest, and what lasts', async () => {
      const { storage, clock } = current()
      const { presence } = storage
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      const numbers = [1, 2, 3, 4]
      const detail = {}
      await presence.record(
        runId,
        {
          sightings: numbers.map((n) => seen(`device-${n}`, (9 - n) * MINUTE, n === 1 ? 'MQTT' : null)),
          periods: numbers.map((number) => ({
            ...PERIOD,
            number,
            beganAgeMs: (9 - number) * MINUTE,
            endedAgeMs: number === 1 ? null : 0,
          })),
          events: numbers.map((number) => ({
            ...{ number, deviceId: 'pump', kind: 'REFUSED', count: 1, detail },
            ...{ ageMs: (9 - number) * MINUTE, lastAgeMs: 0 },
          })),
        },
        'ALIVE',
      )
      expect(await presence.purge(0, 2)).toBe(6)
      expect((await presence.periods('pump', 0, 200 * MINUTE, 9)).map(({ number }) => number)).toEqual([4, 1])
      expect((await presence.events('pump', 0, 200 * MINUTE, 9)).map(({ number }) => number)).toEqual([4, 3])
      expect((await presence.latest(9)).map(({ deviceId }) => deviceId)).toEqual(['device-4', 'device-1'])
    })

    test('presence: more rows of a device than one step reads, many of one time → all, once each, in order', async () => {
      const { storage, clock } = current()
      const { presence } = storage
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      const rows = Array.from({ length: 2_500 }, (_, i) => ({ number: i + 1, ageMs: (i % 7) * MINUTE }))
      const newestFirst = [...rows].sort((a, b) => a.ageMs - b.ageMs || b.number - a.number)
      const order = newestFirst.map(({ number }) => number)
      await presence.record(
        runId,
        {
          ...NOTHING,
          periods: rows.map(({ number, ageMs }) => ({ ...PERIOD, number, beganAgeMs: ageMs, endedAgeMs: 0 })),
          events: rows.map(({ number, ageMs }) => ({
            ...{ number, deviceId: 'pump', kind: 'REFUSED', count: 1, detail: {} },
            ...{ ageMs, lastAgeMs: ageMs },
          })),
        },
        'ALIVE',
      )
      const periods = await presence.periods('pump', 0, 200 * MINUTE, 9_999)
      expect(periods.map(({ number }) => number)).toEqual(order)
      const events = await presence.events('pump', 0, 200 * MINUTE, 2_100)
      expect(events.map(({ number }) => number)).toEqual(order.slice(0, 2_100))
    })

    test('presence: more rows than a device may have → its oldest go, not older ones of others; then the oldest of all', async () => {
      const { storage, clock } = current()
      const { presence } = storage
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      const ofValve = [3, 4, 5, 6, 7, 8]
      const numbers = [1, 2, ...ofValve]
      const deviceOf = (number: number): string => (number < 3 ? 'pump' : 'valve')
      const ages = numbers.map((number) => ({ number, ageMs: (9 - number) * MINUTE }))
      const periods = ages.map(({ number, ageMs }) => {
        return { ...PERIOD, number, deviceId: deviceOf(number), beganAgeMs: ageMs, endedAgeMs: 0 }
      })
      const events = ages.map(({ number, ageMs }) => {
        const event = { number, deviceId: deviceOf(number), kind: 'REFUSED', count: 1, detail: {} } as const
        return { ...event, ageMs, lastAgeMs: ageMs }
      })
      await presence.record(runId, { ...NOTHING, periods, events }, 'ALIVE')
      const left = async (deviceId: string) => ({
        periods: (await presence.periods(deviceId, 0, 200 * MINUTE, 9)).map(({ number }) => number),
        events: (await presence.events(deviceId, 0, 200 * MINUTE, 9)).map(({ number }) => number),
      })
      expect(await presence.purge(0, 8, 6)).toBe(0)
      expect(await presence.purge(0, 8, 4)).toBe(4)
      expect(await left('pump')).toEqual({ periods: [2, 1], events: [2, 1] })
      expect(await left('valve')).toEqual({ periods: [8, 7, 6, 5], events: [8, 7, 6, 5] })
      expect(await presence.purge(0, 4, 3)).toBe(4)
      expect(await left('pump')).toEqual({ periods: [2], events: [2] })
      expect(await left('valve')).toEqual({ periods: [8, 7, 6], events: [8, 7, 6] })
    })

    test('presence: events → as they were, counted; a purge removes them', async () => {
      const { storage, clock } = current()
      const { presence } = storage
      clock.setWall(100 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      const event = { number: 1, deviceId: HOSTILE, kind: 'REFUSED', detail: { message: HOSTILE } } as const
      await presence.record(
        runId,
        {
          ...NOTHING,
          events: [{ ...event, ageMs: MINUTE, lastAgeMs: 0, count: 2 }],
        },
        'ALIVE',
      )
      clock.setWall(101 * MINUTE)
      await presence.record(
        runId,
        { ...NOTHING, events: [{ ...event, ageMs: 9, lastAgeMs: 0, count: 3 }] },
        'ALIVE',
      )
      const { deviceId, ...shown } = event
      expect(await presence.events(HOSTILE, 0, 200 * MINUTE, 9)).toEqual([
        { ...shown, runId, atMs: 99 * MINUTE, lastMs: 101 * MINUTE, count: 3 },
      ])
      expect(await presence.events('pump', 0, 200 * MINUTE, 9)).toEqual([])
      expect(await presence.purge(99 * MINUTE)).toBe(0)
      expect(await presence.purge(100 * MINUTE)).toBe(1)
      expect(await presence.events(HOSTILE, 0, 200 * MINUTE, 9)).toEqual([])
    })

    test('presence: a purge → removes what ended before, and keeps what lasts', async () => {
      const { storage, clock, reopen } = current()
      clock.setWall(10 * MINUTE)
      const { runId } = await storage.presence.begin('1.0.0')
      const ended = { endedAgeMs: 0, reason: 'CLIENT' } as const
      await storage.presence.record(
        runId,
        {
          sightings: [seen('pump', 0, 'MQTT')],
          events: [],
          periods: [
            { ...PERIOD, ...ended },
            { ...PERIOD, number: 2 },
          ],
        },
        'ALIVE',
      )
      expect(await storage.presence.purge(20 * MINUTE)).toBe(1)
      expect(await storage.presence.periods('pump', 0, 99 * MINUTE, 9)).toMatchObject([{ number: 2 }])
      const { presence } = await reopen()
      clock.setWall(30 * MINUTE)
      const next = await presence.begin('1.0.0')
      expect(await presence.purge(20 * MINUTE)).toBe(1)
      expect(await presence.periods('pump', 0, 99 * MINUTE, 9)).toEqual([])
      expect(await presence.sightings(['pump'])).toMatchObject([{ lastMs: 10 * MINUTE, isExact: false }])
      await presence.record(next.runId, { sightings: [seen('pump')], periods: [], events: [] }, 'ALIVE')
      await presence.purge(31 * MINUTE)
      expect(await presence.runs(0, 99 * MINUTE, 9)).toMatchObject([{ id: next.runId }])
    })

    test('presence: devices that connect often → counted within a time, with what has no period; polls are no connections', async () => {
      const { storage, clock } = current()
      const { presence } = storage
      clock.setWall(500 * MINUTE)
      const { runId } = await presence.begin('1.0.0')
      const flapping = {
        number: 90,
        deviceId: HOSTILE,
        kind: 'FLAPPING',
        ageMs: MINUTE,
        lastAgeMs: 0,
      } as const
      const batch = {
        sightings: [],
        periods: [
          ...connections(HOSTILE, 1, 7),
          { ...PERIOD, deviceId: HOSTILE, number: 8, address: null },
          ...connections('poller', 20, 7, { transport: 'REST', address: null }),
          ...connections('few', 40, 3, { address: '2001:db8::7' }),
          ...connections('old', 60, 2),
        ],
        events: [{ ...flapping, count: 5, detail: { connects: 12 } }],
      }
      await presence.record(runId, batch, 'ALIVE')
      expect(await presence.connects(20 * MINUTE, 4)).toEqual([
        {
          ...{ deviceId: HOSTILE, connects: 8 + 12, sinceMs: 493 * MINUTE },
          ...{ address: '192.0.2.7', reason: 'KEEP_ALIVE' },
        },
      ])
      const within = async (minutes: number) =>
        (await presence.connects(minutes * MINUTE, 3))
          .map(({ deviceId, connects }) => [deviceId, connects])
          .sort()
      expect(await within(20)).toEqual(
        [
          [HOSTILE, 20],
          ['few', 3],
        ].sort(),
      )
      expect(await within(2)).toEqual([[HOSTILE, 15]])
      const addresses = await presence.addresses(['few', HOSTILE, 'poller', 'nobody'])
      expect(addresses).toEqual(
        new Map([
          ['few', '2001:db8::7'],
          [HOSTILE, '192.0.2.7'],
        ]),
      )
    })
  })
}

function run(
  id: number,
  release: string,
  started: number,
  alive: number,
  ended: number | null,
  how: 'STOPPED' | 'LOST' | null,
) {
  const endedMs = ended === null ? null : ended * MINUTE
  return { id, release, startedMs: started * MINUTE, aliveMs: alive * MINUTE, endedMs, how }
}
