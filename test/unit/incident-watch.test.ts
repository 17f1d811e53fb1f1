/** The changes of incidents as their readers receive them, on a real SQLite database. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { NewIncident } from '../../src/broker/contract/incident-store.ts'
import { incidentWatch } from '../../src/broker/incidents/incident-watch.ts'
import { whenDone } from '../_support/cleanup.ts'
import { TemporaryStore } from '../_support/store.ts'

const NOW = 1_700_000_000_000

const incident = (key: string, changedMs: number): NewIncident => ({
  ...{ key, kind: 'DEVICE', state: 'OPEN', startedMs: NOW, changedMs, endedMs: null },
  ...{ devices: 1, messages: 2, waiting: 3, mostDevices: 4, mostMessages: 5 },
  ...{ ack: null, mutedUntilMs: null, reopened: 0, mergedInto: null },
})

describe('incident watch', () => {
  let store: TemporaryStore
  let watch: ReturnType<typeof incidentWatch>
  let keys: string[]
  beforeEach(() => {
    store = new TemporaryStore()
    watch = incidentWatch({
      store: store.incidents,
      now: () => NOW,
      log: { debug() {}, warn() {} },
      periodMs: 1_000_000,
    })
    keys = []
  })

  const begin = (...incidents: readonly NewIncident[]) =>
    store.incidents.write(
      incidents.map((after) => ({ before: null, after, members: [], movedKeys: [], lines: [] })),
    )
  const listen = (): void => whenDone(watch.onChange(({ key }) => keys.push(key)))
  const read = async (): Promise<readonly string[]> => {
    await watch.read()
    return keys.splice(0)
  }

  test('changes → each is reported once, in the order of their times, with its class', async () => {
    await begin(incident('DEVICE:old', NOW - 3_600_000))
    const classes: number[] = []
    listen()
    whenDone(watch.onChange((change) => classes.push(change.class)))
    expect(await read()).toEqual([])
    const [id] = (await begin(incident('DEVICE:b', NOW + 2), incident('DEVICE:a', NOW + 1))) as number[]
    expect(await read()).toEqual(['DEVICE:a', 'DEVICE:b'])
    expect(await read()).toEqual([])
    const change = { before: { id: id as number, changedMs: NOW + 2 }, after: incident('DEVICE:b', NOW + 3) }
    await store.incidents.write([{ ...change, members: [], movedKeys: [], lines: [] }])
    expect(await read()).toEqual(['DEVICE:b'])
    expect(classes).toEqual([3, 3, 3])
  })

  test('a change with an earlier time, from a node whose clock is behind → reported', async () => {
    listen()
    await begin(incident('DEVICE:a', NOW + 50_000))
    expect(await read()).toEqual(['DEVICE:a'])
    await begin(incident('DEVICE:b', NOW + 1))
    expect(await read()).toEqual(['DEVICE:b'])
  })

  test('more changes at one time than a step reads → all are reported', async () => {
    listen()
    await begin(...Array.from({ length: 1_200 }, (_, i) => incident(`DEVICE:${i}`, NOW + 1)))
    expect(new Set(await read()).size).toBe(1_200)
    expect(await read()).toEqual([])
  })

  test('nobody listens → reads nothing', async () => {
    const end = watch.onChange(({ key }) => keys.push(key))
    await watch.read()
    end()
    await begin(incident('DEVICE:a', NOW))
    expect(await read()).toEqual([])
  })
})
