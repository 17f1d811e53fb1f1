/** The history of a device beyond its bounds: lists that continue behind a cut, and reports that do not guess. */
import { expect, test } from 'vitest'
import type { DeviceEvent, Period, PresenceStore, Run } from '../../src/broker/contract/presence-store.ts'
import type { LogEntry } from '../../src/broker/views/device-log-entry.ts'
import { PresenceHistory } from '../../src/broker/views/presence-history.ts'
import type { UnstoredChanges } from '../../src/broker/views/presence-recorder.ts'
import type { LogKind } from '../../src/broker/vocabulary/presence.ts'
import { HeldClock } from '../_support/clock.ts'
import { seeded, seedOfRun } from '../_support/random.ts'

const DAY_MS = 86_400_000
const NOW = 100 * DAY_MS

const RUN: Run = {
  ...{ id: 1, nodeId: null, release: '1.0.0', startedMs: 0, aliveMs: NOW, endedMs: null, how: null },
}
/** A connection of a second, at each whole hour before now. */
const periodAt = (number: number): Period => ({
  ...{ runId: 1, number, transport: 'MQTT', receivesMs: null, address: null, session: null, version: null },
  ...{
    beganMs: NOW - number * 3_600_000,
    endedMs: NOW - number * 3_600_000 + 1_000,
    reason: 'CLOSED',
    detail: null,
  },
})

function historyOf(
  periods: readonly Period[],
  events: readonly DeviceEvent[] = [],
  unstored: UnstoredChanges = { periods: [], events: [] },
  maxRead = 3,
): PresenceHistory {
  const store: Pick<PresenceStore, 'periods' | 'events' | 'runs' | 'sightings'> = {
    periods: async (_id, fromMs, toMs, limit) =>
      periods
        .filter(({ beganMs, endedMs }) => beganMs < toMs && (endedMs ?? fromMs) >= fromMs)
        .slice(0, limit),
    events: async () => events,
    runs: async () => [RUN],
    sightings: async () => [
      { deviceId: 'pump', firstMs: 0, lastMs: NOW, isExact: true, transport: null, pollSeconds: null },
    ],
  }
  return new PresenceHistory({
    store,
    audit: { list: async () => [] },
    incidents: { ofDevice: async () => [] },
    gatewayOf: () => null,
    recorder: { flushChanges: async () => {}, unstoredOf: async () => unstored },
    clock: new HeldClock(NOW),
    logDays: 30,
    maxRead,
  })
}

test('log: more rows than one read has → CUT, and the list continues behind it up to the oldest row', async () => {
  const history = historyOf([1, 2, 3, 4, 5, 6, 7].map(periodAt))
  const range = { fromMs: NOW - 10 * 3_600_000, toMs: NOW, limit: 99 }
  const kinds: string[] = []
  let before: string | undefined
  do {
    const { items, next } = await history.log('pump', { ...range, kinds: [], before })
    kinds.push(items.map(({ kind, reason }) => (kind === 'CUT' ? `CUT ${reason}` : kind[0])).join(' '))
    before = next ?? undefined
  } while (before !== undefined && kinds.length < 9)
  expect(kinds).toEqual(['D C D C D C CUT ROWS', 'D C D C D C CUT ROWS', 'D C'])

  const some = { ...range, kinds: ['CONNECTED'] as const }
  const first = await history.log('pump', { ...some })
  expect(first.items.map(({ kind }) => kind)).toEqual(['CONNECTED', 'CONNECTED', 'CONNECTED'])
  const second = await history.log('pump', { ...some, before: first.next ?? undefined })
  expect(second.items[0]).toMatchObject({ atMs: NOW - 4 * 3_600_000 })
})

test('log: a range longer than the days that are kept → CUT at their begin, for a device that was seen before', async () => {
  const history = historyOf([periodAt(1)])
  const range = { fromMs: NOW - 40 * DAY_MS, toMs: NOW, kinds: [], limit: 99 }
  expect((await history.log('pump', range)).items.at(-1)).toMatchObject({
    ...{ kind: 'CUT', reason: 'DAYS', atMs: NOW - 30 * DAY_MS },
  })
  expect((await history.log('pump', { ...range, fromMs: NOW - 20 * DAY_MS })).items).toHaveLength(2)
})

test('presence: before the days that are kept, and before the rows of one read → UNKNOWN, never AWAY', async () => {
  const states = async (periods: readonly Period[], fromMs: number) =>
    (await historyOf(periods).report('pump', fromMs, NOW)).spans.map(({ state }) => state)
  expect(await states([periodAt(1)], NOW - 40 * DAY_MS)).toEqual(['UNKNOWN', 'AWAY', 'CONNECTED', 'AWAY'])
  const many = [1, 2, 3, 4].map(periodAt)
  expect(await states(many, NOW - 10 * 3_600_000)).toEqual([
    ...['UNKNOWN', 'CONNECTED', 'AWAY', 'CONNECTED', 'AWAY', 'CONNECTED', 'AWAY'],
  ])
})

test('log: periods and events that are not stored yet → listed, in place of their older state, within the rows of a read', async () => {
  const open = periodAt(2)
  const closed = { ...open, endedMs: NOW - 1_000, reason: 'KEEP_ALIVE' } as const
  const lasting = { ...open, endedMs: null, reason: null }
  const refused: DeviceEvent = {
    ...{ runId: 1, number: 7, kind: 'REFUSED', atMs: NOW - 500, lastMs: NOW - 400, count: 2, detail: {} },
  }
  const history = historyOf([lasting, periodAt(3)], [{ ...refused, count: 1 }], {
    periods: [closed],
    events: [refused],
  })
  const range = { fromMs: NOW - 10 * 3_600_000, toMs: NOW, kinds: [], limit: 99 }
  const { items } = await history.log('pump', range)
  expect(items.map(({ kind, atMs, reason, detail }) => [kind, atMs - NOW, reason, detail.count])).toEqual([
    ['REFUSED', -500, null, 2],
    ['DISCONNECTED', -1_000, 'KEEP_ALIVE', undefined],
    ['CONNECTED', -7_200_000, null, undefined],
    ['DISCONNECTED', -10_799_000, 'CLOSED', undefined],
    ['CONNECTED', -10_800_000, null, undefined],
  ])
})

const seed = seedOfRun()

test(`log: seed ${seed}, random periods and events, many of one time → the pages are the whole, for any kinds`, async () => {
  const draw = seeded(seed)
  const below = (limit: number): number => Math.floor(draw() * limit)
  for (let history = 0; history < 200; history++) {
    const periods = Array.from({ length: below(20) }, (_, number): Period => {
      const beganMs = NOW - 1 - below(40)
      const endedMs = below(4) === 0 ? null : beganMs + below(10)
      const isPolls = below(3) === 0
      return {
        ...{ ...periodAt(1), number, beganMs, endedMs, transport: isPolls ? 'REST' : 'MQTT' },
        receivesMs: isPolls || below(2) === 0 ? null : beganMs + below(3),
        reason: endedMs === null ? null : below(2) === 0 ? 'TAKEN_OVER' : 'CLOSED',
      }
    }).sort((a, b) => b.beganMs - a.beganMs || b.number - a.number)
    const events = Array.from({ length: below(20) }, (_, number): DeviceEvent => {
      const atMs = NOW - 1 - below(40)
      const kind = below(2) === 0 ? 'REFUSED' : 'BUSY'
      return { runId: 1, number, kind, atMs, lastMs: atMs, count: 1, detail: {} }
    })
    const log = historyOf(periods, events, undefined, 999)
    const choices: LogKind[][] = [[], ['REFUSED'], ['DISCONNECTED', 'BUSY'], ['SUBSCRIBED', 'POLLS']]
    const kinds = choices[below(choices.length)] as LogKind[]
    const range = { fromMs: NOW - below(60) - 1, toMs: NOW, kinds }
    const whole = (await log.log('pump', { ...range, limit: 999 })).items
    const paged: LogEntry[] = []
    const limit = 1 + below(5)
    let before: string | undefined
    do {
      const { items, next } = await log.log('pump', { ...range, limit, before })
      paged.push(...items)
      before = next ?? undefined
    } while (before !== undefined && paged.length <= whole.length)
    expect(paged).toEqual(whole)
  }
})
