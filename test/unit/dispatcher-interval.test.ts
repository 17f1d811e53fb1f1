/** The pacing interval of connected devices, over the real store and with a clock that the test moves. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DispatchRig, holdClock, INTERVAL_MS, START_MS } from '../_support/dispatch-rig.ts'
import { TemporaryStore } from '../_support/store.ts'

const DAY_MS = 86_400_000

let store: TemporaryStore
let rig: DispatchRig

beforeEach(() => {
  holdClock()
  store = new TemporaryStore()
  rig = new DispatchRig(() => store.messages)
  rig.onDispatch = async () => true
})

describe('a device that leaves', () => {
  test.each([
    ['comes back', async () => rig.dispatcher.detach('pump', 'MQTT')],
    [
      'comes back after a restart of the server',
      async () => {
        await rig.dispatcher.close()
        await store.reopen()
        rig.open()
      },
    ],
  ])('%s → the interval holds', async (_, leave) => {
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await leave()
    vi.advanceTimersByTime(500)
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.pass(INTERVAL_MS - 501)
    expect(rig.ids).toEqual([id])
    await rig.pass(1)
    expect(rig.sent.map(({ atMs }) => atMs)).toEqual([0, INTERVAL_MS])
  })

  test('leaves during a dispatch and comes back → the interval holds', async () => {
    const id = await rig.enqueue()
    rig.dispatcher.attach('pump', 'MQTT')
    void rig.dispatcher.detach('pump', 'MQTT')
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.pass(INTERVAL_MS - 1)
    expect(rig.ids).toEqual([id])
  })
})

describe('a device with an interval of its own', () => {
  const pace = (sendMessagePeriodMs: number | null): Promise<void> => rig.change({ sendMessagePeriodMs })
  const sendTwice = async (): Promise<void> => {
    await rig.enqueue({ guarantee: 'NO' })
    await rig.enqueue({ guarantee: 'NO' })
  }
  const times = (): number[] => rig.sent.map(({ atMs }) => atMs)

  test('set before it connects → that interval; other devices keep the general one', async () => {
    await pace(500)
    await sendTwice()
    await rig.enqueue({ deviceId: 'valve', guarantee: 'NO' })
    await rig.enqueue({ deviceId: 'valve', guarantee: 'NO' })
    rig.dispatcher.attach('pump', 'MQTT')
    rig.dispatcher.attach('valve', 'MQTT')
    await rig.settle()
    await rig.pass(500)
    await rig.pass(INTERVAL_MS - 501)
    expect(rig.sent.map(({ deviceId, atMs }) => [deviceId, atMs])).toEqual([
      ['pump', 0],
      ['valve', 0],
      ['pump', 500],
    ])
  })

  test('made shorter while pacing → the pause ends earlier', async () => {
    await sendTwice()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.pass(300)
    await pace(500)
    expect(rig.dispatcher.hold('pump')).toEqual({ is: 'PACING', messageId: null, forMs: 200 })
    await rig.pass(200)
    expect(times()).toEqual([0, 500])
  })

  test('made longer while pacing, then general again → the pause of the moment', async () => {
    await sendTwice()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await pace(60_000)
    await rig.pass(INTERVAL_MS)
    expect(times()).toEqual([0])
    await pace(null)
    await rig.settle()
    expect(times()).toEqual([0, INTERVAL_MS])
  })

  test('no general interval, and a restart after a dispatch → the own interval holds', async () => {
    rig.open({ intervalMs: 0 })
    await pace(500)
    await sendTwice()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    await rig.pass(200)
    await rig.dispatcher.close()
    await store.reopen()
    rig.open({ intervalMs: 0 })
    await rig.broker.deviceSettings.load()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.pass(299)
    expect(times()).toEqual([0])
    await rig.pass(1)
    expect(times()).toEqual([0, 500])
  })

  test('no interval at all → no time of a dispatch is stored', async () => {
    rig.open({ intervalMs: 0 })
    await sendTwice()
    rig.dispatcher.attach('pump', 'MQTT')
    await rig.settle()
    expect(times()).toEqual([0, 0])
    expect(store.rows('SELECT * FROM devices')).toEqual([])
  })
})

describe('a wall clock that is set back', () => {
  test.each([1, 60])(
    'by %i days, while the server runs → dispatch goes on with its interval',
    async (days) => {
      const [first, second] = [await rig.enqueue(), await rig.enqueue()]
      rig.dispatcher.attach('pump', 'MQTT')
      await rig.settle()
      vi.setSystemTime(START_MS - days * DAY_MS)
      await rig.broker.acknowledge('pump', first, 'COMPLETED')
      await rig.pass(INTERVAL_MS - 1)
      expect(rig.ids).toEqual([first])
      await rig.pass(1)
      expect(rig.ids).toEqual([first, second])
    },
  )

  test.each([1, 60])(
    'by %i days, before a restart → the device waits for one interval at most',
    async (days) => {
      const first = await rig.enqueue()
      rig.dispatcher.attach('pump', 'MQTT')
      await rig.settle()
      await rig.broker.acknowledge('pump', first, 'COMPLETED')
      await rig.dispatcher.close()
      await store.reopen()
      rig.open()
      vi.setSystemTime(START_MS - days * DAY_MS)
      const second = await rig.enqueue()
      rig.dispatcher.attach('pump', 'MQTT')
      await rig.pass(INTERVAL_MS)
      expect(rig.ids).toEqual([first, second])
    },
  )
})

test('pacing interval: longer than a timer of Node → kept, without a busy loop', async () => {
  const intervalMs = 60 * DAY_MS
  rig.open({ intervalMs })
  const [first, second] = [await rig.enqueue(), await rig.enqueue()]
  rig.dispatcher.attach('pump', 'MQTT')
  await rig.settle()
  await rig.broker.acknowledge('pump', first, 'COMPLETED')
  await rig.settle()
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await rig.pass(intervalMs - 1)
  expect(timers.mock.calls.length).toBeLessThan(10)
  expect(rig.ids).toEqual([first])
  await rig.pass(1)
  expect(rig.ids).toEqual([first, second])
})
