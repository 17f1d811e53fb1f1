/** The logs of devices as their followers receive them, on a held clock. */
import { setTimeout as turn } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { entryId, type LogEntry, PLAIN_ENTRY } from '../../src/broker/views/device-log-entry.ts'
import { LogWatch } from '../../src/broker/views/log-watch.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { whenDone } from '../_support/cleanup.ts'
import { HeldClock } from '../_support/clock.ts'

const NOW = 1_700_000_000_000

const refusals = (count: number, atMs: number): LogEntry => ({
  ...{ ...PLAIN_ENTRY, id: entryId(atMs, 1, 3, 1), kind: 'REFUSED', atMs, detail: { count } },
})
const connected = (number: number, atMs: number): LogEntry => ({
  ...{ ...PLAIN_ENTRY, id: entryId(atMs, 1, 1, number), kind: 'CONNECTED', atMs, detail: {} },
})

describe('log watch', () => {
  const presence = new Presence(new HeldClock(NOW))
  let logs: Map<string, readonly LogEntry[]>
  let readings: string[]
  let watch: LogWatch
  let received: string[]
  let refused: string | null
  beforeEach(() => {
    refused = null
    logs = new Map()
    readings = []
    received = []
    watch = new LogWatch({
      history: {
        nowMs: () => NOW,
        log: async (deviceId) => {
          readings.push(deviceId)
          if (deviceId === refused) throw new Error('the storage is busy')
          return { items: [...(logs.get(deviceId) ?? [])].sort((a, b) => (a.id < b.id ? 1 : -1)), next: null }
        },
      },
      presence,
      audit: { onAdded: () => () => {} },
      log: { debug() {}, warn() {} },
      periodMs: 1_000_000,
      lingerMs: 0,
    })
    whenDone(
      watch.onChange(({ deviceId, entry: { kind, atMs, detail } }) =>
        received.push(`${deviceId} ${kind} ${atMs - NOW} ${detail.count ?? ''}`.trimEnd()),
      ),
    )
  })

  const read = async (): Promise<readonly string[]> => {
    await watch.read()
    return received.splice(0)
  }

  test('followed: entries from now on, each once; of other devices none', async () => {
    logs.set('pump', [connected(1, NOW - 1_000)]).set('lamp', [connected(9, NOW)])
    watch.follow(['pump'])
    logs.set('pump', [connected(1, NOW - 1_000), connected(2, NOW + 1)])
    expect(await read()).toEqual(['pump CONNECTED 1'])
    expect(await read()).toEqual([])
    expect(readings).not.toContain('lamp')
  })

  test('an entry that comes late, with a time before the follow → received', async () => {
    watch.follow(['pump'])
    expect(await read()).toEqual([])
    logs.set('pump', [connected(1, NOW - 5_000)])
    expect(await read()).toEqual(['pump CONNECTED -5000'])
  })

  test('an entry is stored a millisecond earlier than it was shown → once; its count grows → again', async () => {
    watch.follow(['pump'])
    await read()
    logs.set('pump', [refusals(1, NOW + 2)])
    expect(await read()).toEqual(['pump REFUSED 2 1'])
    logs.set('pump', [refusals(1, NOW + 1)])
    expect(await read()).toEqual([])
    logs.set('pump', [refusals(2, NOW + 1)])
    expect(await read()).toEqual(['pump REFUSED 1 2'])
  })

  test('a bound that moves with the clock → not received', async () => {
    const cut = (atMs: number): LogEntry => ({
      ...{ ...PLAIN_ENTRY, id: entryId(atMs, 0), kind: 'CUT', atMs, reason: 'DAYS', detail: {} },
    })
    watch.follow(['pump'])
    logs.set('pump', [cut(NOW - 86_400_000)])
    await read()
    logs.set('pump', [cut(NOW - 86_399_000)])
    expect(await read()).toEqual([])
  })

  test('the storage refuses a read → the entries of all devices are received after the next one', async () => {
    watch.follow(['pump', 'lamp'])
    await read()
    logs.set('pump', [connected(1, NOW + 1)]).set('lamp', [connected(2, NOW + 2)])
    refused = 'lamp'
    expect(await read()).toEqual([])
    refused = null
    expect(await read()).toEqual(['pump CONNECTED 1', 'lamp CONNECTED 2'])
  })

  test('two readers, one leaves → the other goes on; both leave → it is read no more', async () => {
    const first = watch.follow(['pump'])
    const second = watch.follow(['pump'])
    first()
    first()
    // Behind the timer of the first reader.
    await turn()
    await read()
    expect(readings.splice(0)).toContain('pump')
    second()
    await expect.poll(() => read().then(() => readings.splice(0))).toEqual([])
  })

  test('a change of a device that is followed → its log is read at once; of another one → not', async () => {
    watch.follow(['pump'])
    await read()
    readings.length = 0
    presence.connected('lamp', 'MQTT')
    logs.set('pump', [connected(1, NOW + 1)])
    await Promise.resolve()
    expect(readings).toEqual([])
    presence.connected('pump', 'MQTT')
    await expect.poll(() => received).toEqual(['pump CONNECTED 1'])
  })
})
