/** The longest absence that ended by itself: several periods, restarts, losses, times out of service, the present absence. */
import { expect, test } from 'vitest'
import type { AuditLine } from '../../src/audit/audit.ts'
import type { DevicePeriod, Run } from '../../src/broker/contract/presence-store.ts'
import { serviceTimes, UsualAbsences } from '../../src/broker/views/usual-absence.ts'
import { HeldClock } from '../_support/clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = 40 * DAY

const RUN: Run = {
  id: 1,
  nodeId: null,
  release: '1.0.0',
  startedMs: 0,
  aliveMs: NOW,
  endedMs: null,
  how: null,
}

/** Returns a period of a device from an hour to another hour before now. */
function period(fromHours: number, toHours: number | null, parts: Partial<DevicePeriod> = {}): DevicePeriod {
  const beganMs = NOW - fromHours * HOUR
  return {
    deviceId: 'pump',
    runId: 1,
    number: fromHours,
    transport: 'MQTT',
    beganMs,
    endedMs: toHours === null ? null : NOW - toHours * HOUR,
    receivesMs: beganMs,
    address: null,
    session: null,
    version: null,
    detail: null,
    reason: toHours === null ? null : 'CLOSED',
    ...parts,
  }
}

function line(hours: number, detail: Record<string, unknown>): AuditLine {
  const by = { clientId: 'admin', keyId: null, address: null }
  return { id: hours, atMs: NOW - hours * HOUR, by, action: 'device.service', object: 'pump', detail }
}

/** Returns the usual absence in hours. */
async function usual(
  periods: readonly DevicePeriod[],
  { runs = [RUN], lines = [] }: { runs?: readonly Run[]; lines?: AuditLine[] } = {},
): Promise<number | null> {
  const absences = new UsualAbsences({
    store: { recent: async () => periods, runs: async () => runs },
    audit: { list: async () => lines },
    clock: new HeldClock(NOW),
  })
  const ms = (await absences.of(['pump'], new Map())).get('pump') ?? null
  return ms === null ? null : ms / HOUR
}

test('absences: between periods → the longest; the present one and one before the 30 days do not count', async () => {
  expect(await usual([])).toBe(null)
  expect(await usual([period(50, 20)])).toBe(null)
  expect(await usual([period(50, 20), period(15, 14), period(12, null)])).toBe(5)
  expect(await usual([period(50, 20), period(15, 14)])).toBe(5)
  expect(await usual([period(900, 800), period(740, 100), period(97, null)])).toBe(3)
  // Two connections overlap, so there is no absence between them.
  expect(await usual([period(50, 10), period(30, 20), period(9, null)])).toBe(1)
})

test('absences: time without a server, and from the loss of one to the next → not counted', async () => {
  const stopped: Run = { ...RUN, endedMs: NOW - 18 * HOUR, aliveMs: NOW - 18 * HOUR, how: 'STOPPED' }
  const next = { ...RUN, id: 2, startedMs: NOW - 12 * HOUR }
  const periods = [period(50, 20), period(10, null, { runId: 2 })]
  expect(await usual(periods, { runs: [next, stopped] })).toBe(4)
  const lost: Run = { ...stopped, how: 'LOST', aliveMs: NOW - 19 * HOUR, endedMs: NOW - 12 * HOUR }
  expect(await usual(periods, { runs: [next, lost] })).toBe(3)
  // The lost run left the period open: the device was surely there until its last sign of life.
  expect(await usual([period(50, null), period(10, null, { runId: 2 })], { runs: [next, lost] })).toBe(2)
})

test('absences: times out of service → not counted, until a person or the date ended them', async () => {
  const periods = [period(50, 30), period(10, null)]
  expect(await usual(periods, { lines: [] })).toBe(20)
  const begin = line(28, { reason: 'repair', untilDate: null })
  expect(await usual(periods, { lines: [line(12, { end: true }), begin] })).toBe(4)
  expect(await usual(periods, { lines: [begin] })).toBe(2)
  const until = line(28, { reason: 'repair', untilDate: NOW - 20 * HOUR })
  expect(await usual(periods, { lines: [until] })).toBe(12)
  // A person prolonged it: the first end does not hold.
  expect(await usual(periods, { lines: [line(25, { untilDate: NOW - 15 * HOUR }), until] })).toBe(7)
  // The begin is older than the lines.
  expect(await usual(periods, { lines: [line(12, { end: true })] })).toBe(2)
  expect(serviceTimes([{ ...begin, object: null }], { fromMs: 0, toMs: NOW }).size).toBe(0)
})

test('absences: read again within ten minutes → as computed; then anew', async () => {
  let periods = [period(50, 20), period(15, null)]
  let reads = 0
  const clock = new HeldClock(NOW)
  const recent = async () => {
    reads++
    return periods
  }
  const absences = new UsualAbsences({
    store: { recent, runs: async () => [RUN] },
    audit: { list: async () => [] },
    clock,
  })
  const of = async () => (await absences.of(['pump'], new Map())).get('pump')
  expect(await of()).toBe(5 * HOUR)
  periods = [period(50, 20), period(12, null)]
  clock.advance(599_999)
  expect([await of(), reads]).toEqual([5 * HOUR, 1])
  clock.advance(1)
  expect([await of(), reads]).toEqual([8 * HOUR, 2])
})
