/** The cost of one expiry: the same statements, each by an index, however many messages are pending. Counts no time. */
import Database from 'better-sqlite3'
import { describe, expect, test, vi } from 'vitest'
import { Queues } from '../../src/store/sqlite/messages/queues.ts'
import { HeldClock } from '../_support/clock.ts'
import { TemporaryStore } from '../_support/store.ts'
import { put, terms } from '../contract/store-under-test.ts'

/** The methods of better-sqlite3 that run a statement. */
const RUNS = ['run', 'get', 'all', 'iterate'] as const
/** The methods that look at all messages of a queue, or at all queues. */
const WALKS = ['ids', 'withCommand', 'devices', 'nearlyFull'] as const

interface Statement {
  readonly source: string
}

/** Calls a function. Returns the statements that it ran. */
async function statementsOf(call: () => Promise<unknown>): Promise<string[]> {
  const db = new Database(':memory:')
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1'))
  db.close()
  const sources: string[] = []
  const spies = RUNS.map((name) => {
    const original = prototype[name] as (...parameters: unknown[]) => unknown
    return vi.spyOn(prototype, name).mockImplementation(function (this: unknown, ...parameters: unknown[]) {
      sources.push((this as Statement).source)
      return original.apply(this, parameters)
    })
  })
  try {
    await call()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return sources
}

/** Stores a number of messages, half of them with a validity, and one that expires. */
async function storeOf(count: number): Promise<TemporaryStore> {
  const clock = new HeldClock()
  const store = new TemporaryStore({ clock })
  const parts = [{}, { terms: terms({ validSeconds: 86_400 }) }]
  await Promise.all(Array.from({ length: count }, (_, i) => put(store.messages, parts[i % 2])))
  await put(store.messages, { terms: terms({ validSeconds: 1 }) })
  clock.advance(1_000)
  return store
}

describe('expire: one message of many is due', () => {
  test.each([10, 1_000])(
    '%d messages are pending → nothing walks the queues, and no statement scans',
    async (count) => {
      const store = await storeOf(count)
      const walks = WALKS.map((name) => vi.spyOn(Queues.prototype, name))

      const statements = await statementsOf(async () => {
        expect((await store.messages.expire(1_000)).settled).toMatchObject([
          { messageId: count + 1, cause: 'EXPIRED' },
        ])
      })

      for (const walk of walks) expect(walk).not.toHaveBeenCalled()
      for (const walk of walks) walk.mockRestore()
      const plans = statements
        .filter((sql) => /^\s*(?:SELECT|UPDATE|DELETE|INSERT)/.test(sql))
        .flatMap((sql) => planOf(store, sql))
      expect(plans).toContain('SEARCH d USING PRIMARY KEY (at_ms<?)')
      expect(plans.filter((detail) => detail.startsWith('SCAN'))).toEqual([])
    },
  )

  test('10 and 1,000 messages are pending → the same statements', async () => {
    const of = async (count: number) => {
      const store = await storeOf(count)
      return statementsOf(() => store.messages.expire(1_000))
    }

    expect(await of(1_000)).toEqual(await of(10))
  })
})

/** Returns the steps of the plan of a statement, whatever its parameters. */
function planOf(store: TemporaryStore, sql: string): string[] {
  const parameters = Array.from(sql.matchAll(/\?/g), () => null)
  return store
    .rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...parameters)
    .map(({ detail }) => detail)
}
