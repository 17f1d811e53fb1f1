/** The drivers that the random histories run on in this process. Each one opens its store once, for many histories. */
import { EVERY_LINE } from '../../src/audit/audit.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import type { StoreUnderTest } from '../contract/store-under-test.ts'
import { HeldClock } from './clock.ts'
import { DURATIONS_MS } from './history-calls.ts'
import { seeded, seedOfRun } from './random.ts'
import { TemporaryStore } from './store.ts'

/** Opens an empty SQLite store. */
export function openHistorySqlite(): StoreUnderTest {
  const clock = new HeldClock()
  const opened = new TemporaryStore({ clock, durationsMs: DURATIONS_MS })
  return {
    clock,
    get store() {
      return opened.messages
    },
    record: (id) => opened.messageLog.get(id),
    extras: (id) => opened.messageLog.extras(id),
    audit: async () => (await opened.audit.list(EVERY_LINE, 100_000)).reverse(),
    statistics: () => opened.statistics,
    async reopen() {
      await opened.reopen()
      return opened.messages
    },
  }
}

/** Opens an empty memory store, whose calls at the same time take effect in a random order. */
export function openHistoryMemory(): StoreUnderTest {
  const clock = new HeldClock()
  return memoryUnderTest(openMemory({ clock, random: seeded(seedOfRun()) }), clock)
}

/** Returns a memory store for the histories. */
export function memoryUnderTest(store: MemoryStore, clock: HeldClock): StoreUnderTest {
  let node = store
  return {
    clock,
    get store() {
      return node
    },
    record: (id) => node.record(id),
    extras: (id) => node.extras(id),
    audit: () => node.audit(),
    statistics: () => node.statistics,
    async reopen() {
      const next = node.second()
      node.close()
      node = next
      return next
    },
    second: () => node.second(),
  }
}
