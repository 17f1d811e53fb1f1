/** Tests what a reader gets of presence that is not stored yet, while batches are being stored. */
import { expect, test } from 'vitest'
import type { RecordedPeriod } from '../../src/broker/contract/presence-store.ts'
import { PresenceRecorder } from '../../src/broker/views/presence-recorder.ts'
import { Sightings } from '../../src/broker/views/sightings.ts'
import { HeldClock } from '../_support/clock.ts'

const NAMES = { transport: 'MQTT', address: '192.0.2.7', session: null, version: '5' }

test('a batch is being stored, another one waits → a period is stored or in memory, never in neither', async () => {
  const clock = new HeldClock(1_000_000)
  const sightings = new Sightings(clock)
  const stored: RecordedPeriod[] = []
  const commits: (() => void)[] = []
  const recorder = new PresenceRecorder({
    store: {
      begin: async () => ({ runId: 1, nowMs: 1_000_000 }),
      latest: async () => [],
      record: async (_runId, { periods }) => {
        await new Promise<void>((resolve) => commits.push(resolve))
        stored.push(...periods)
      },
    },
    ...{ sightings, clock, release: '1.0.0', keepsLog: true, keepsAddresses: true, everyMs: 60_000 },
  })
  await recorder.start()
  sightings.connected(1, { deviceId: 'pump', ...NAMES })
  const batches = [recorder.flush()]
  await expect.poll(() => commits.length).toBe(1)
  sightings.connected(2, { deviceId: 'pump', ...NAMES })
  batches.push(recorder.flush())
  const read = recorder.unstoredOf('pump').then(({ periods }) => [...stored, ...periods].length)
  commits[0]?.()
  await expect.poll(() => commits.length).toBe(2)
  commits[1]?.()
  expect(await read).toBe(2)
  await Promise.all(batches)
})
