/** Sightings in memory: devices that flap, ids without end, and batches that are stored in steps. */
import { expect, test } from 'vitest'
import type { PresenceBatch, RunProgress } from '../../src/broker/contract/presence-store.ts'
import { PresenceRecorder } from '../../src/broker/views/presence-recorder.ts'
import { Sightings } from '../../src/broker/views/sightings.ts'
import { HeldClock } from '../_support/clock.ts'

const START = 1_800_000_000_000

test('sightings: a device connects each second for an hour → 60 connections and one FLAPPING entry; never AWAY while connected', () => {
  const clock = new HeldClock(START)
  const sightings = new Sightings(clock)
  const client = { deviceId: 'pump', transport: 'MQTT', address: null, session: null, version: '5' }
  for (let id = 0; id < 3_599; id++) {
    sightings.connected(id, client)
    clock.advance(900)
    sightings.disconnected(id, 'CLOSED')
    clock.advance(100)
  }
  sightings.connected(9_999, client)
  clock.advance(60_000)
  sightings.review()
  const { periods, events } = sightings.takeBatch(100)
  expect(periods).toHaveLength(61)
  const reasons = [{ reason: 'CLOSED', count: 3_539 }]
  expect(events).toMatchObject([{ kind: 'FLAPPING', detail: { connects: 3_540, reason: 'CLOSED', reasons } }])
})

test('sightings: a client polls for ever new ids → a bounded number in memory, and known devices are seen as before', () => {
  const clock = new HeldClock(START)
  const sightings = new Sightings(clock)
  sightings.polled('pump')
  for (let id = 0; id < 150_000; id++) sightings.polled(`made-up-${id}`)
  expect(sightings.open).toBeLessThan(111_000)
  expect(sightings.lastMs('made-up-149999')).toBeNull()
  clock.advance(1_000)
  sightings.polled('pump')
  expect(sightings.lastMs('pump')).toBe(START + 1_000)

  // The polls end, the storage has them, and another device fits again.
  clock.advance(400_000)
  sightings.review()
  while (sightings.unstored > 0) sightings.takeBatch(10_000)
  sightings.polled('lamp')
  expect(sightings.lastMs('lamp')).toBe(START + 401_000)
  expect(sightings.isFull).toBe(true)
})

test('recorder: 1,200 devices connect at once → batches of 500 at most, and only the last one says that the run lives', async () => {
  const clock = new HeldClock(START)
  const sightings = new Sightings(clock)
  const recorded: { batch: PresenceBatch; progress: RunProgress }[] = []
  let failures = 1
  const recorder = new PresenceRecorder({
    store: {
      begin: async () => ({ runId: 1, nowMs: clock.wallMs() }),
      latest: async () => [],
      async record(_runId, batch, progress) {
        if (recorded.length === 1 && failures-- > 0) throw new Error('the disk is full')
        recorded.push({ batch, progress })
      },
    },
    sightings,
    release: '1.0.0',
    keepsLog: true,
    keepsAddresses: false,
    everyMs: 60_000,
    clock,
  })
  await recorder.start()
  const client = { transport: 'MQTT', address: '192.0.2.7', session: null, version: '5' }
  for (let id = 0; id < 1_200; id++) sightings.connected(id, { ...client, deviceId: `device-${id}` })
  await expect(recorder.flushDue()).rejects.toThrow('the disk is full')
  await recorder.flushDue()
  expect(recorded.map(({ batch, progress }) => `${batch.periods.length} ${progress}`)).toEqual([
    '500 PART',
    '500 PART',
    '200 ALIVE',
  ])
  const ids = recorded.flatMap(({ batch }) => batch.periods.map(({ deviceId }) => deviceId))
  expect(new Set(ids).size).toBe(1_200)
  expect(recorded[0]?.batch.periods[0]?.address).toBeNull()
})
