/** The batches of presence, as PostgreSQL receives them: what their ages count from. */
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Connection } from '../../src/store/postgres/database/connection.ts'
import { encodeText } from '../../src/store/postgres/database/text.ts'
import type { PostgresParts } from '../../src/store/postgres/parts.ts'
import { postgresPresence } from '../../src/store/postgres/records/presence.ts'
import { Reads } from '../../src/store/postgres/views/reads.ts'

test('a batch waits behind a statement that waits for a lock → its ages include the wait', async () => {
  let nowMs = 5_000
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const sent: unknown[][] = []
  let unlock = (): void => {}
  const run = (_: unknown, values: unknown[]): Promise<unknown[]> => {
    sent.push(values)
    return sent.length === 1 ? new Promise((resolve) => (unlock = () => resolve([]))) : Promise.resolve([])
  }
  const reads = new Reads({ run } as unknown as Connection)
  const presence = postgresPresence({
    reads,
    node: { id: 1, silent: [] } as unknown as PostgresParts['node'],
  })

  const locked = reads.run('SELECT 1')
  const sighting = {
    deviceId: 'pump',
    firstAgeMs: 40.4,
    ageMs: 0,
    transport: 'MQTT',
    pollSeconds: null,
  } as const
  const period = {
    ...{
      number: 1,
      deviceId: 'pump',
      transport: 'MQTT',
      beganAgeMs: 40.4,
      endedAgeMs: null,
      receivesAgeMs: 10,
    },
    ...{ address: null, session: null, version: null, reason: null, detail: null },
  } as const
  const event = {
    number: 1,
    deviceId: 'pump',
    kind: 'REFUSED',
    ageMs: 5,
    lastAgeMs: 5,
    count: 1,
    detail: {},
  } as const
  const stored = presence.record(1, { sightings: [sighting], periods: [period], events: [event] }, 'PART')
  nowMs += 1_300
  unlock()
  await Promise.all([locked, stored])

  const [, , , sightings, periods, events] = sent[1] as string[]
  expect(JSON.parse(sightings as string)).toEqual([[encodeText('pump'), 1_340, 1_300, 'MQTT', null]])
  expect(JSON.parse(periods as string)[0].slice(3, 6)).toEqual([1_340, null, 1_310])
  expect(JSON.parse(events as string)[0].slice(3, 5)).toEqual([1_305, 1_305])
})
