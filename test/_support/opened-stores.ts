/** Opens the stores that live in the process of a test, in the form of the storage contract suites. */
import { vi } from 'vitest'
import { EVERY_LINE } from '../../src/audit/audit.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { PollTimestamps } from '../../src/store/sqlite/messages/poll-timestamps.ts'
import type { StoreUnderTest } from '../contract/store-under-test.ts'
import { whenDone } from './cleanup.ts'
import { HeldClock } from './clock.ts'
import { seeded } from './random.ts'
import { TemporaryStore } from './store.ts'

/** Maximum lines of the audit trail that a suite reads. */
const MAX_LINES = 100_000

/** Opens an empty SQLite store. @param durationsMs durations of attempts from before a restart */
export function openSqlite(durationsMs: readonly number[]): StoreUnderTest {
  const clock = new HeldClock()
  const opened = new TemporaryStore({ clock, durationsMs })
  const polls = vi.spyOn(PollTimestamps.prototype, 'add')
  whenDone(() => polls.mockRestore())
  return {
    clock,
    get store() {
      return opened.messages
    },
    record: (id) => opened.messageLog.get(id),
    extras: (id) => opened.messageLog.extras(id),
    audit: async () => (await opened.audit.list(EVERY_LINE, MAX_LINES)).reverse(),
    statistics: () => opened.statistics,
    async reopen() {
      await opened.reopen()
      return opened.messages
    },
    async kill() {
      // A first poll reaches the disk within a second, or with the acknowledgement. The kill comes later.
      await (polls.mock.contexts.at(-1) as PollTimestamps | undefined)?.close()
      polls.mockClear()
      await opened.kill()
      return opened.messages
    },
  }
}

/** Opens an empty memory store, whose calls take effect in an order that a seed determines. */
export function openSeededMemory(seed: number): StoreUnderTest & { readonly store: MemoryStore } {
  return openMemoryWith(new HeldClock(), seeded(seed))
}

/** Opens an empty memory store. @param random as in `MemoryOptions` */
export function openMemoryWith(
  clock: HeldClock,
  random: () => number,
): StoreUnderTest & { readonly store: MemoryStore } {
  let node = openMemory({ clock, random })
  /** The data outlives a node, and its leases stay, as after a crash. */
  const nextNode = async () => {
    const next = node.second()
    node.close()
    node = next
    return next
  }
  return {
    clock,
    get store() {
      return node
    },
    record: (id) => node.record(id),
    extras: (id) => node.extras(id),
    audit: () => node.audit(),
    statistics: () => node.statistics,
    reopen: nextNode,
    kill: nextNode,
    second: () => node.second(),
  }
}
