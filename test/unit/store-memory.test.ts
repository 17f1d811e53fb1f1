/** The memory store: the storage contract in a random order of events, and the switches for tests. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { MaybePromise } from '../../src/broker/contract/store.ts'
import { allEvents } from '../_support/all-events.ts'
import { message } from '../_support/message.ts'
import { openSeededMemory } from '../_support/opened-stores.ts'
import { storeContract } from '../contract/store.ts'
import { claimMessage, expectEvent, limits, put, RULES, recordEvents } from '../contract/store-under-test.ts'

/** `MEMORY_SEED=n` repeats an order of events. */
const SEED = Number(process.env.MEMORY_SEED ?? Date.now() % 1_000_000)

function openSeeded(seed: number): ReturnType<typeof openSeededMemory> {
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') console.error(`MEMORY_SEED=${seed}`)
  })
  return openSeededMemory(seed)
}

storeContract(`memory, seed ${SEED}, every event twice`, () => {
  const opened = openSeeded(SEED)
  opened.store.eventFaults.repeat = true
  return opened
})

describe('memory store', () => {
  const open = () => openSeeded(SEED).store

  test('events: repeat is on → each is reported twice', async () => {
    const store = open()
    store.eventFaults.repeat = true
    const events = recordEvents(store)
    await put(store)

    await expect
      .poll(() => events, { interval: 1 })
      .toEqual([
        { is: 'added', deviceId: 'pump' },
        { is: 'added', deviceId: 'pump' },
      ])
  })

  test('events: drop was on for a while → events of that time alone are missing', async () => {
    const store = open()
    const events = recordEvents(store)
    store.eventFaults.drop = true
    await put(store)
    store.eventFaults.drop = false
    await put(store, { deviceId: 'valve' })

    await expectEvent(events, { is: 'added', deviceId: 'valve' })
    expect(events).toHaveLength(1)
  })

  test('events: several changes → some event arrives before the result of its own call, some after', async () => {
    const store = open()
    const events = recordEvents(store)
    const early: boolean[] = []
    for (let n = 1; n <= 40; n++) {
      await put(store)
      early.push(events.length === n)
      await expect.poll(() => events.length, { interval: 1 }).toBe(n)
    }

    expect(new Set(early)).toEqual(new Set([true, false]))
  })

  test('effects: a call on each of two nodes → sometimes the first takes effect first, sometimes the second', async () => {
    const first = open()
    const second = first.second()
    const winners = new Set<boolean>()
    for (let n = 0; n < 40; n++) {
      const id = await put(first)
      const [here] = await Promise.all([
        first.cancel(id, { by: null, force: false }),
        second.cancel(id, { by: null, force: false }),
      ])
      winners.add(here?.transition !== null)
    }

    expect(winners.size).toBe(2)
  })

  test('lapse: the lease ends → its claims are lost, and the message stays in flight', async () => {
    const store = open()
    const id = await put(store)
    const lease = await store.attach('pump', 'MQTT')
    await claimMessage(lease)
    store.lapse('pump')

    expect(await lease.claim(null, RULES)).toEqual({ is: 'lost' })
    expect((await store.attach('pump', 'MQTT')).state.attempt?.messageId).toBe(id)
  })

  test('release: no later lease exists → its claims are lost', async () => {
    const store = open()
    const lease = await store.attach('pump', 'MQTT')
    await lease.release()

    expect(await lease.claim(null, RULES)).toEqual({ is: 'lost' })
  })

  test('hold: before the effect → no effect until the call is let go', async () => {
    const store = open()
    const held = store.hold('enqueue', 'effect')
    const stored = put(store)
    await held.reached
    expect(await store.head('pump')).toBeNull()

    held.letGo()

    const id = await stored
    expect(await store.head('pump')).toMatchObject({ message: { id } })
  })

  test('hold: before the result → another node sees the effect first', async () => {
    const store = open()
    const other = store.second()
    const held = store.hold('enqueue', 'result')
    const stored = put(store)
    await held.reached

    const head = await other.head('pump')

    held.letGo()
    expect(head?.message.id).toBe(await stored)
  })

  test('hold: the call is failed before its result → the caller gets the error, the effect stays', async () => {
    const store = open()
    const held = store.hold('enqueue', 'result')
    const stored = store.enqueue(message(), limits(1))
    held.fail(new Error('connection lost'))

    await expect(stored).rejects.toThrow('connection lost')
    expect(await store.head('pump')).not.toBeNull()
  })

  test('attempts: a claim ended one and another runs → the outcomes', async () => {
    const store = open()
    const messageId = await put(store)
    const lease = await store.attach('pump', 'MQTT')
    await claimMessage(lease)
    await claimMessage(lease, { messageId, outcome: 'TIMEOUT' })

    expect(store.extras(messageId).attempts).toMatchObject([{ outcome: 'TIMEOUT' }, { outcome: null }])
  })

  test('recorded: twenty claims → some are durable at once, some later', async () => {
    const store = open()
    const lease = await store.attach('pump', 'MQTT')
    const recorded = new Set<boolean>()
    for (let n = 0; n < 20; n++) {
      await put(store, { guarantee: 'NO' })
      recorded.add((await claimMessage(lease)).recorded === null)
    }

    expect(recorded.size).toBe(2)
  })

  test('seed: two stores with one seed → the same order of results', async () => {
    const run = async (): Promise<string[]> => {
      const { store } = openSeeded(7)
      const order: string[] = []
      store.watch(allEvents(({ is }) => order.push(is)))
      const named = async (name: string, call: MaybePromise<unknown>) => {
        await call
        order.push(name)
      }
      const puts = ['a', 'b', 'c'].map((name) => named(name, put(store)))
      await Promise.all([...puts, named('status', store.status(1)), named('head', store.head('pump'))])
      // Three results of `put`, three events, and the other two results.
      await expect.poll(() => order.length, { interval: 1 }).toBe(8)
      return order
    }

    expect(await run()).toEqual(await run())
  })
})
