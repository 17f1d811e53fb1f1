/** Polls that wait, over the real dispatch and the store in memory, with a clock that the test moves. */
import { beforeEach, describe, expect, test } from 'vitest'
import { PollWaits } from '../../src/broker/engine/poll-waits.ts'
import { WaitLimit } from '../../src/broker/engine/waits.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { dispatchToAll } from '../../src/transport/dispatch.ts'
import { DispatchRig, holdClock, START_MS } from '../_support/dispatch-rig.ts'
import { hold } from '../_support/held.ts'
import { seeded } from '../_support/random.ts'

const ONCE = { guarantee: 'NO' } as const

let store: MemoryStore
let rig: DispatchRig
let limit: WaitLimit
let waits: PollWaits
/** Messages that the other transport of the device took. */
let published: number[]

beforeEach(() => {
  holdClock()
  store = openMemory({ clock: systemClock, random: seeded(1) })
  limit = new WaitLimit(100)
  published = []
  const mqtt = {
    dispatch(_deviceId: string, { id }: { readonly id: number }) {
      published.push(id)
      return true
    },
  }
  let others: (typeof mqtt)[] = []
  const connections = {
    attach(deviceId: string, transport: string) {
      if (transport === 'MQTT') others = [mqtt]
      rig.dispatcher.attach(deviceId, transport)
    },
    detach: (deviceId: string, transport: string) => void rig.dispatcher.detach(deviceId, transport),
    decided: (deviceId: string) => rig.dispatcher.decided(deviceId),
  }
  waits = new PollWaits({ connections, presence: new Presence(), limit })
  rig = new DispatchRig(() => store, {
    dispatch: (deviceId, each) => dispatchToAll([...others, waits], deviceId, each),
    disconnect: (deviceId) => waits.disconnect(deviceId),
  })
  connect = () => {
    connections.attach('pump', 'MQTT')
    return rig.settle()
  }
})

/** Connects the device over another transport. */
let connect: () => Promise<void>

/** Starts a poll that waits. `now` is `waits`, or the second of the answer and the id of its message; null for none. */
async function wait(seconds = 60) {
  const signal = new AbortController()
  let now: readonly [second: number, id: number | null] | 'waits' = 'waits'
  void waits.wait('pump', seconds * 1_000, signal.signal, hold).then(({ message: found, onSent }) => {
    now = [(Date.now() - START_MS) / 1_000, found?.id ?? null]
    onSent?.(true)
  })
  await rig.settle()
  return { now: () => now, leave: () => signal.abort() }
}

const status = (id: number) => rig.broker.status(id)

describe('a poll that waits', () => {
  test('one wait and three NO messages → one is dispatched, the others stay pending', async () => {
    const ids = [await rig.send(ONCE), await rig.send(ONCE), await rig.send(ONCE)]
    expect((await wait()).now()).toEqual([0, ids[0]])
    expect(await Promise.all(ids.map(status))).toEqual(['DELIVERED', 'NOT_DELIVERED', 'NOT_DELIVERED'])
    expect((await wait()).now()).toEqual([0, ids[1]])
    expect(await Promise.all(ids.map(status))).toEqual(['DELIVERED', 'DELIVERED', 'NOT_DELIVERED'])
  })

  test('a stop while the dispatch claims a NO message → the message is the answer', async () => {
    const id = await rig.send(ONCE)
    const held = store.hold('claim', 'result')
    const poll = wait()
    await held.reached
    limit.close()
    held.letGo()
    expect((await poll).now()).toEqual([0, id])
    expect(await status(id)).toBe('DELIVERED')
  })

  test('the peer leaves while the dispatch claims a NO message → UNKNOWN, as no connection took it', async () => {
    const id = await rig.send(ONCE)
    const held = store.hold('claim', 'result')
    const peer = new AbortController()
    const answer = waits.wait('pump', 60_000, peer.signal, hold)
    await held.reached
    peer.abort()
    held.letGo()
    expect((await answer).message).toBeNull()
    await rig.settle()
    expect(await status(id)).toBe('UNKNOWN')
  })

  test('the attempt of another poll runs → held until the attempt ends, then the second attempt', async () => {
    const id = await rig.send()
    const first = await wait()
    const second = await wait()
    expect([first.now(), second.now()]).toEqual([[0, id], 'waits'])
    await rig.passSeconds(30)
    expect(second.now()).toEqual([30, id])
  })

  test('the attempt of another poll runs, and is acknowledged → the next message at once', async () => {
    const [id, next] = [await rig.send(), await rig.send()]
    await wait()
    const second = await wait()
    await rig.passSeconds(3)
    await rig.broker.acknowledge('pump', id, 'COMPLETED')
    await rig.settle()
    expect(second.now()).toEqual([3, next])
  })

  test('without a period of its own, the device is not paced by the general interval', async () => {
    const [id, next] = [await rig.send(), await rig.send()]
    expect((await wait()).now()).toEqual([0, id])
    await rig.broker.acknowledge('pump', id, 'COMPLETED')
    expect((await wait()).now()).toEqual([0, next])
  })

  test('the pacing interval of the device → held until it ends; wait=0 is answered at once', async () => {
    await rig.change({ sendMessagePeriodMs: 10_000 })
    const [first, second] = [await rig.send(ONCE), await rig.send(ONCE)]
    expect((await wait()).now()).toEqual([0, first])
    const later = await wait()
    expect((await wait(0)).now()).toEqual([0, null])
    await rig.passSeconds(12)
    expect(later.now()).toEqual([10, second])
  })

  test('the device is busy → held until the pause ends', async () => {
    const id = await rig.send()
    await rig.broker.setBusy('pump', 20)
    const poll = await wait()
    expect((await wait(0)).now()).toEqual([0, null])
    await rig.passSeconds(21)
    expect(poll.now()).toEqual([20, id])
  })

  test('a delayed message → held until it is due', async () => {
    const id = await rig.send({ terms: { ...NO_TERMS, delaySeconds: 15 } })
    const poll = await wait()
    await rig.passSeconds(16)
    expect(poll.now()).toEqual([15, id])
  })

  test('the previous message is not finished, and the device finishes one after the other → held until then', async () => {
    await rig.change({ nextAfter: 'COMPLETED', finishSeconds: 600 })
    const terms = { ...NO_TERMS, finishSeconds: 600 }
    const [id, next] = [await rig.send({ terms }), await rig.send({ terms })]
    await wait()
    await rig.broker.acknowledge('pump', id, 'DELIVERED')
    await rig.settle()
    const poll = await wait()
    await rig.passSeconds(5)
    expect(poll.now()).toBe('waits')
    await rig.broker.acknowledge('pump', id, 'COMPLETED')
    await rig.settle()
    expect(poll.now()).toEqual([5, next])
  })

  test('two waits of a device → both get the message, in one attempt', async () => {
    const polls = [await wait(), await wait()]
    const id = await rig.send()
    expect(polls.map(({ now }) => now())).toEqual([
      [0, id],
      [0, id],
    ])
    expect((await store.extras(id)).attemptCount).toBe(1)
  })

  test('a device that never acknowledges → parked after its attempts, then the next message', async () => {
    await rig.change({ maxAttempts: 2 })
    const [first, second] = [await rig.send(), await rig.send()]
    const answers: unknown[] = []
    for (let n = 0; n < 4; n++) {
      const poll = await wait()
      for (let second = 0; second < 60 && poll.now() === 'waits'; second++) await rig.passSeconds(1)
      answers.push(poll.now())
    }
    expect(answers).toEqual([
      [0, first],
      [30, first],
      [90, second],
      [120, second],
    ])
    expect(await status(first)).toBe('UNKNOWN')
  })

  test('its time is over → no message, and a later message stays pending', async () => {
    const poll = await wait(25)
    await rig.passSeconds(25)
    expect(poll.now()).toEqual([25, null])
    expect(await status(await rig.send(ONCE))).toBe('NOT_DELIVERED')
  })

  test('the peer leaves → a NO message stays pending', async () => {
    const poll = await wait()
    poll.leave()
    await rig.settle()
    expect(await status(await rig.send(ONCE))).toBe('NOT_DELIVERED')
  })
})

describe('a poll that waits beside a connection', () => {
  test('a message is in flight over the connection → the wait neither ends the attempt nor gets the message', async () => {
    await connect()
    const id = await rig.send()
    const poll = await wait()
    await rig.passSeconds(5)
    expect([published, poll.now()]).toEqual([[id], 'waits'])
    poll.leave()
    await rig.settle()
    expect(published).toEqual([id])
  })

  test('a message is stored → both get it, paced by the general interval', async () => {
    await connect()
    const polls = [await wait()]
    const id = await rig.send()
    await rig.broker.acknowledge('pump', id, 'COMPLETED')
    polls.push(await wait())
    const next = await rig.send()
    await rig.passSeconds(3)
    expect(polls.map(({ now }) => now())).toEqual([
      [0, id],
      [2, next],
    ])
    expect(published).toEqual([id, next])
  })
})
