/** Deaf devices on two nodes that share a store: both nodes know, whichever of them dispatched. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Broker } from '../../src/broker/engine/broker.ts'
import { DEAF_PARKS } from '../../src/broker/vocabulary/attempts.ts'
import { NO_TERMS } from '../../src/broker/vocabulary/term-table.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { message } from '../_support/message.ts'
import { seeded } from '../_support/random.ts'
import { RULES } from '../contract/store-under-test.ts'

const LOG = { debug() {}, info() {}, error() {} }

describe('deaf devices of two nodes', () => {
  let store: MemoryStore
  let here: Broker
  let there: Broker
  /** Entries that the nodes add to the log of the device. */
  let logged: string[]
  beforeEach(() => {
    store = openMemory({ clock: new HeldClock(), random: seeded(1) })
    logged = []
    const broker = (name: string, messages: MemoryStore): Broker => {
      const deviceEvents = { add: (_id: string, kind: string) => void logged.push(`${name} ${kind}`) }
      return new Broker({ messages, queueLimit: 100, log: LOG, deviceEvents })
    }
    here = broker('here', store)
    there = broker('there', store.second())
  })

  /** Parks a message on the first node. Resolves when the second one has the change. */
  async function park(maxAttempts: number | null = null): Promise<number> {
    const terms = maxAttempts === null ? null : { ...NO_TERMS, maxAttempts }
    const { id } = await store.enqueue(message({ terms }), { messages: 100, bytes: 0 })
    const known = new Promise<void>((resolve) => {
      const unsubscribe = there.onChange(({ messageId }) => {
        if (messageId !== id) return
        unsubscribe()
        resolve()
      })
    })
    const head = await store.head('pump')
    if (head) await store.take('pump', head, RULES)
    await here.park('pump', id, 1, maxAttempts !== null)
    await known
    return id
  }

  test('deaf: three messages are parked on the other node → deaf on both; acknowledged there → on none; logged once each', async () => {
    const ids = [await park(), await park()]
    expect(there.deaf.isDeaf('pump')).toBe(false)
    ids.push(await park())

    expect(ids).toHaveLength(DEAF_PARKS)
    expect([here, there].map(({ deaf }) => deaf.isDeaf('pump'))).toEqual([true, true])

    await there.acknowledge('pump', ids[0] as number, 'COMPLETED')
    await eventually(() => expect(here.deaf.isDeaf('pump')).toBe(false))
    expect(there.deaf.isDeaf('pump')).toBe(false)
    expect(logged).toEqual(['here DEAF', 'there ANSWERS_AGAIN'])
  })

  test('deaf: the store reports each change twice → a message counts once', async () => {
    store.eventFaults.repeat = true
    await park()
    await park()

    expect(there.deaf.isDeaf('pump')).toBe(false)
  })

  test('deaf: the messages have a limit of their own → no node counts them', async () => {
    for (let parks = 0; parks < DEAF_PARKS; parks++) await park(1)

    expect([here, there].map(({ deaf }) => deaf.isDeaf('pump'))).toEqual([false, false])
  })
})
