/** The server answers as the model, over SQLite and over messages in memory, with restarts and kills. */
import fc from 'fast-check'
import { test, vi } from 'vitest'
import type { MessageLog } from '../../src/broker/contract/message-log.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import type { Storage } from '../../src/store/storage.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import type { HeldClock } from '../_support/clock.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import {
  BOUNDED,
  follow,
  type Open,
  type Round,
  realHistory,
  type StartIn,
  startHere,
  timedHistory,
} from '../_support/model-histories.ts'
import { seeded } from '../_support/random.ts'

vi.setConfig({ testTimeout: 4 * LIMIT_MS })

test('model: SQLite in this process, orderly restarts → as the model', async () => {
  await fc.assert(
    fc.asyncProperty(timedHistory, (rounds) => follow(rounds, startHere)),
    { numRuns: 12, ...BOUNDED },
  )
})

/** Reads the details of messages from the memory driver, which has no lists. */
function logOf(node: MemoryStore): MessageLog {
  const log: Pick<MessageLog, 'get' | 'extras' | 'neighbours'> = {
    get: async (id) => node.record(id),
    extras: async (id) => node.extras(id),
    // A message without neighbours: the model does not look at them.
    neighbours: async () => ({ previousId: null, nextId: null }),
  }
  return log as MessageLog
}

test('model: messages in memory, each restart another node on the same data → as the model', async () => {
  const play = (rounds: readonly Round[], seed: number): Promise<void> => {
    let node: MemoryStore | null = null
    const open = async (options: Parameters<Open>[0], clock: HeldClock): Promise<Storage> => {
      node = node?.second() ?? openMemory({ clock, random: seeded(seed) })
      return { ...openStorage(options), messages: node, messageLog: logOf(node) }
    }
    return follow(rounds, (dataDir, adapter, clock) =>
      startHere(dataDir, adapter, clock, (options) => open(options, clock)),
    )
  }
  await fc.assert(fc.asyncProperty(timedHistory, fc.nat(), play), { numRuns: 12, ...BOUNDED })
})

test('model: SQLite in a process of its own, orderly restarts and kills → as the model', async () => {
  const startThere: StartIn = async (dataDir, adapter) => {
    const { server, rest } = await BrokerUnderTest.spawn({ adapter, dataDir })
    return { rest, wake() {}, end: (how) => server.kill(how) }
  }
  await fc.assert(
    fc.asyncProperty(realHistory, (rounds) => follow(rounds, startThere)),
    { numRuns: 2, ...BOUNDED },
  )
})
