/** Dispatch to devices that crash, do not answer, pause or wait, over the store in memory and with a clock that the test moves. */
import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { ATTEMPT_MS, DispatchRig, holdClock } from '../_support/dispatch-rig.ts'
import { seeded } from '../_support/random.ts'

let store: MemoryStore
let rig: DispatchRig

beforeEach(() => {
  holdClock()
  store = openMemory({ clock: systemClock, random: seeded(1) })
  rig = new DispatchRig(() => store)
})

/** Returns each dispatch: the message and the seconds since the start. */
const sent = (): [id: number, seconds: number][] => rig.sent.map(({ id, atMs }) => [id, atMs / 1_000])
const times = (): number[] => sent().map(([, seconds]) => seconds)

async function connect(transport = 'MQTT'): Promise<void> {
  rig.dispatcher.attach('pump', transport)
  await rig.settle()
}

describe('a device that does not answer', () => {
  test('ten attempts, each longer, then parked and the next message dispatched', async () => {
    const [first, second] = [await rig.send(), await rig.send()]
    await connect()
    await rig.passSeconds(1_200)
    expect(times()).toEqual([0, 30, 90, 180, 300, 450, 600, 750, 900, 1_050, 1_200])
    expect(rig.ids).toEqual([...Array(10).fill(first), second])
    expect([await rig.broker.status(first), await rig.broker.status(second)]).toEqual([
      'UNKNOWN',
      'NOT_DELIVERED',
    ])
    expect(rig.timeouts).toBe(10)
    expect(rig.changes.filter(({ status }) => status === 'UNKNOWN')).toHaveLength(1)
    expect(rig.broker.unanswered.withAttempts(1)).toEqual([])
  })

  test('a limit of its own, and one of the device → parked after as many attempts', async () => {
    await rig.change({ maxAttempts: 1 })
    const first = await rig.send({ terms: { ...NO_TERMS, maxAttempts: 2 } })
    const second = await rig.send()
    await connect()
    await rig.passSeconds(120)
    expect(sent()).toEqual([
      [first, 0],
      [first, 30],
      [second, 90],
    ])
    expect([await rig.broker.status(first), await rig.broker.status(second)]).toEqual(['UNKNOWN', 'UNKNOWN'])
  })

  test('fifty messages → three are parked, 47 stay pending; one acknowledgement → all are dispatched', async () => {
    rig.open({ maxAttempts: 1 })
    const all: number[] = []
    for (let n = 0; n < 50; n++) all.push(await rig.send())
    await connect()
    await rig.passSeconds(90)
    expect(rig.broker.deaf.isDeaf('pump')).toBe(true)
    expect(rig.ids).toEqual(all.slice(0, 4))
    await rig.passSeconds(600)
    // The oldest pending message is dispatched every 150 seconds, as one attempt.
    expect(sent().slice(3)).toEqual([90, 240, 390, 540, 690].map((seconds) => [all[3], seconds]))
    expect(store.extras(all[3] as number).attempts).toHaveLength(1)
    expect(rig.dispatcher.hold('pump')).toMatchObject({ is: 'ACKNOWLEDGEMENT', forMs: 150_000 })

    for (const id of all.slice(3)) {
      await rig.broker.acknowledge('pump', id, 'COMPLETED')
      await rig.settle()
      await rig.passSeconds(2)
    }
    expect(rig.ids.slice(7)).toEqual(all.slice(3))
    const statuses = await Promise.all(all.map((id) => rig.broker.status(id)))
    expect(statuses).toEqual([...Array(3).fill('UNKNOWN'), ...Array(47).fill('COMPLETED')])
  })
})

describe('a device that crashes at each dispatch and reconnects at once', () => {
  test('attempts 1 to 3 follow at the interval, later ones at their ends; then parked', async () => {
    rig.open({ maxAttempts: 6 })
    rig.onDispatch = () => {
      setTimeout(() => {
        void rig.dispatcher.detach('pump', 'MQTT')
        rig.dispatcher.attach('pump', 'MQTT')
      }, 500)
      return true
    }
    const [first, second] = [await rig.send(), await rig.send()]
    await connect()
    await rig.passSeconds(426)
    expect(sent()).toEqual([
      ...[0, 2, 4, 6, 126, 276].map((seconds) => [first, seconds]),
      ...[426].map((seconds) => [second, seconds]),
    ])
    expect(await rig.broker.status(first)).toBe('UNKNOWN')
    const { attempts } = store.extras(first)
    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      ...Array(3).fill('CONNECTION'),
      ...Array(3).fill('TIMEOUT'),
    ])
  })

  test('from the fourth attempt on → the hold says when the next one starts', async () => {
    const id = await rig.send()
    await connect()
    for (let n = 0; n < 4; n++) {
      await rig.passSeconds(3)
      await rig.dispatcher.detach('pump', 'MQTT')
      await connect()
    }
    expect(rig.ids).toEqual([id, id, id, id])
    expect(rig.dispatcher.hold('pump')).toEqual({ is: 'BACK_OFF', messageId: id, forMs: 117_000 })
  })
})

describe('a device that asks for a pause', () => {
  test('during an attempt → the message first afterwards, and the attempt does not count', async () => {
    const [first, second] = [await rig.send(), await rig.send()]
    await connect()
    await rig.passSeconds(5)
    await rig.broker.setBusy('pump', 60)
    await rig.settle()
    expect(rig.dispatcher.hold('pump')).toMatchObject({ is: 'BUSY', forMs: 60_000 })
    await rig.passSeconds(60)
    expect(sent()).toEqual([
      [first, 0],
      [first, 65],
    ])
    expect(store.extras(first).attempts.map(({ outcome }) => outcome)).toEqual(['BUSY', null])
    await rig.broker.acknowledge('pump', first, 'COMPLETED')
    await rig.passSeconds(2)
    expect(rig.ids).toEqual([first, first, second])
  })

  test('before it connects → the pause holds; polls get nothing', async () => {
    const id = await rig.send()
    await rig.broker.setBusy('pump', 60)
    await connect()
    expect(await rig.broker.poll('pump')).toBeNull()
    await rig.passSeconds(59)
    expect(rig.ids).toEqual([])
    await rig.passSeconds(1)
    expect(rig.ids).toEqual([id])
  })

  test('the pause is ended → dispatched at once', async () => {
    const id = await rig.send()
    await rig.broker.setBusy('pump', 60)
    await connect()
    await rig.broker.setBusy('pump', 0)
    await rig.settle()
    expect(rig.ids).toEqual([id])
  })
})

describe('a device that polls beside its connection', () => {
  test('a poll began an attempt → nothing is dispatched until its end', async () => {
    const id = await rig.send()
    expect(await rig.broker.poll('pump')).toMatchObject({ id, number: 1 })
    rig.dispatcher.attach('pump', 'REST')
    await rig.settle()
    expect(rig.dispatcher.hold('pump')).toEqual({ is: 'ACKNOWLEDGEMENT', messageId: id, forMs: ATTEMPT_MS })
    await rig.passSeconds(30)
    expect(sent()).toEqual([[id, 30]])
  })

  test('a poll while a message is in flight → joins the attempt', async () => {
    const id = await rig.send()
    await connect()
    expect(await rig.broker.poll('pump')).toMatchObject({ id, number: 1 })
    await rig.passSeconds(30)
    expect(sent()).toEqual([
      [id, 0],
      [id, 30],
    ])
  })

  test('a poll begins an attempt while the interval holds the next dispatch → it runs to its end', async () => {
    rig.open({ intervalMs: 50_000 })
    const id = await rig.send()
    await connect()
    await rig.passSeconds(40)
    expect(await rig.broker.poll('pump')).toMatchObject({ id, number: 2 })
    await rig.passSeconds(60)
    expect(sent()).toEqual([
      [id, 0],
      [id, 100],
    ])
    expect(store.extras(id).attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'TIMEOUT'],
      [2, 'TIMEOUT'],
      [3, null],
    ])
  })

  test('an interval of its own → polls and dispatches keep it together', async () => {
    await rig.change({ sendMessagePeriodMs: 10_000 })
    const guarantee = 'NO'
    const all = [await rig.send({ guarantee }), await rig.send({ guarantee }), await rig.send({ guarantee })]
    expect(await rig.broker.poll('pump')).toMatchObject({ id: all[0] })
    expect(await rig.broker.poll('pump')).toBeNull()
    await rig.passSeconds(4)
    await connect()
    await rig.passSeconds(5)
    expect(rig.ids).toEqual([])
    await rig.passSeconds(1)
    expect(sent()).toEqual([[all[1], 10]])
    await rig.passSeconds(9)
    expect(await rig.broker.poll('pump')).toBeNull()
    await rig.dispatcher.detach('pump', 'MQTT')
    await rig.passSeconds(1)
    expect(await rig.broker.poll('pump')).toMatchObject({ id: all[2] })
  })
})

describe('a waiting poll', () => {
  test('no interval of its own → the general interval does not apply', async () => {
    await rig.send({ guarantee: 'NO' })
    await rig.send({ guarantee: 'NO' })
    await connect('REST')
    expect(times()).toEqual([0, 0])
  })

  test('beside an MQTT connection → the general interval applies; after its end no longer', async () => {
    await connect('REST')
    await connect('MQTT')
    for (let n = 0; n < 3; n++) await rig.send({ guarantee: 'NO' })
    expect(times()).toEqual([0])
    await rig.passSeconds(2)
    expect(times()).toEqual([0, 2])
    expect(await rig.dispatcher.detach('pump', 'MQTT')).toBeUndefined()
    await rig.settle()
    expect(times()).toEqual([0, 2, 2])
  })

  test('polls that end with a dispatch, without an acknowledgement → their attempts are counted', async () => {
    const id = await rig.send()
    for (const seconds of [30, 60, 90]) {
      await connect('REST')
      await rig.dispatcher.detach('pump', 'REST')
      await rig.passSeconds(seconds)
    }
    await connect('REST')
    expect(times()).toEqual([0, 30, 90, 180])
    expect(rig.broker.unanswered.withAttempts(3)).toMatchObject([{ messageId: id, times: 3 }])
    await rig.broker.acknowledge('pump', id, 'DELIVERED')
    await rig.settle()
    expect(rig.broker.unanswered.of('pump')).toBeNull()
  })

  test('decided: a message is pending → resolves after its dispatch; none → resolves', async () => {
    await rig.enqueue()
    rig.dispatcher.attach('pump', 'REST')
    await rig.dispatcher.decided('pump')
    expect(times()).toEqual([0])
    rig.dispatcher.attach('valve', 'REST')
    await rig.dispatcher.decided('valve')
    await rig.dispatcher.decided('unknown')
    expect(times()).toEqual([0])
  })
})

describe('a device whose next command follows the end of the one before', () => {
  const terms = { ...NO_TERMS, finishSeconds: 600 }

  test.each(['MQTT', 'REST'])(
    'DELIVERED over %s → the next one after the final status',
    async (transport) => {
      await rig.change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
      const [first, second] = [await rig.send({ terms }), await rig.send({ terms })]
      await connect(transport)
      await rig.broker.acknowledge('pump', first, 'DELIVERED')
      await rig.passSeconds(10)
      expect(rig.ids).toEqual([first])
      expect(await rig.broker.poll('pump')).toBeNull()
      expect(rig.dispatcher.hold('pump')).toMatchObject({ is: 'UNFINISHED' })
      await rig.broker.acknowledge('pump', first, 'COMPLETED')
      await rig.settle()
      expect(rig.ids).toEqual([first, second])
    },
  )

  test('it never finishes → the next one when the finish time is over', async () => {
    await rig.change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
    const [first, second] = [await rig.send({ terms }), await rig.send({ terms })]
    await connect()
    await rig.broker.acknowledge('pump', first, 'DELIVERED')
    await rig.passSeconds(599)
    expect(rig.ids).toEqual([first])
    await rig.passSeconds(1)
    expect(rig.ids).toEqual([first, second])
  })

  test('the setting comes while a message is unfinished → applies to that message', async () => {
    const [first, second] = [await rig.send({ terms }), await rig.send({ terms })]
    await connect()
    await rig.change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
    await rig.broker.acknowledge('pump', first, 'DELIVERED')
    await rig.passSeconds(10)
    expect(rig.ids).toEqual([first])
    await rig.change({})
    await rig.settle()
    expect(rig.ids).toEqual([first, second])
  })
})

describe('a delayed message', () => {
  test('is due → dispatched; younger ones before it do not change that', async () => {
    const delayed = await rig.send({ terms: { ...NO_TERMS, delaySeconds: 60 } })
    const other = await rig.send({ guarantee: 'NO' })
    await connect()
    await rig.passSeconds(59)
    expect(rig.ids).toEqual([other])
    expect(rig.dispatcher.hold('pump')).toMatchObject({ is: 'LATER', forMs: 1_000 })
    await rig.passSeconds(1)
    expect(rig.ids).toEqual([other, delayed])
  })
})
