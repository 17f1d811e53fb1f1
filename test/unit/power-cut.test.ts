/** A model of power cuts: the start accepts each log that one may leave, has all answered messages, and still finds damage. */
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findDamage } from '../../src/store/sqlite/database/integrity.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { afterFailedSync, cutOff, recordSyncs, type Unsynced } from '../_support/power-cut.ts'
import { seeded } from '../_support/random.ts'
import { runs } from '../_support/runs.ts'
import { openIn } from '../_support/store.ts'
import { databaseIn, rowsOf } from '../_support/stored.ts'

const recorded: Unsynced[] = []

/** Tries a property with one of the recorded syncs and a source of random numbers. */
async function tryMany(
  count: number,
  property: (unsynced: Unsynced, random: () => number) => Promise<void>,
): Promise<void> {
  if (recorded.length === 0) recorded.push(...(await recordSyncs(24, seeded(1))))
  const one = fc.asyncProperty(fc.nat(recorded.length - 1), fc.nat(), (at, seed) =>
    property(recorded[at] as Unsynced, seeded(seed)),
  )
  await fc.assert(one, { numRuns: runs(count) })
}

/** Writes a database and its log. @returns the directory */
function written(database: Buffer, log: Buffer): string {
  const directory = temporaryDirectory()
  writeFileSync(databaseIn(directory), database)
  writeFileSync(`${databaseIn(directory)}-wal`, log)
  return directory
}

/** Opens the storage. @returns those of the ids that are not the id of a message */
async function missing(directory: string, ids: readonly number[]): Promise<number[]> {
  await openIn(directory).close()
  const found = rowsOf<{ id: number }>(databaseIn(directory), 'SELECT id FROM messages')
  return ids.filter((id) => !found.some((row) => row.id === id))
}

describe('start after a power cut', () => {
  test('any of the unsynced pages are on disk → accepted, with all answered messages', () =>
    tryMany(60, async (unsynced, random) => {
      const directory = written(unsynced.database, cutOff(unsynced, random))
      expect(await missing(directory, unsynced.answered)).toEqual([])
    }))

  test('an earlier sync failed, and the server was restarted → all answered messages', () =>
    tryMany(10, async (unsynced, random) => {
      const directory = written(unsynced.database, unsynced.written)
      const path = databaseIn(directory)
      const storage = openIn(directory)
      const answered = [...unsynced.answered]
      for (let n = 0; n < 3; n++)
        answered.push((await storage.messages.enqueue(message(), { messages: 100_000, bytes: 0 })).id)
      const log = afterFailedSync(unsynced, readFileSync(`${path}-wal`), random)
      const cut = written(readFileSync(path), log)
      await storage.close()
      expect(await missing(cut, answered)).toEqual([])
    }))

  test('a page before the last two transactions is overwritten → found', () =>
    tryMany(60, async (_, random) => {
      const { database, written: log } = recorded.at(-1) as Unsynced
      const { synced: before } = recorded.at(-3) as Unsynced
      const at = Math.floor((random() * firstDifference(before, log)) / PAGE) * PAGE
      const damaged = Buffer.from(log)
      const garbage = Array.from({ length: PAGE }, () => Math.floor(random() * 256))
      damaged.set(random() < 0.3 ? Buffer.alloc(PAGE) : garbage, at)
      const directory = written(database, damaged)
      expect(findDamage(databaseIn(directory), 'start')).toMatchObject([{ inLog: true }])
    }))
})

const PAGE = 4_096

function firstDifference(one: Buffer, other: Buffer): number {
  return one.findIndex((byte, at) => byte !== other[at])
}
