/** Creates the files that a power cut may leave: any unsynced page may or may not be on disk. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { connect } from '../../src/store/sqlite/database/connection.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { WalSync } from '../../src/store/sqlite/database/wal-sync.ts'
import { temporaryDirectory } from './cleanup.ts'
import { message } from './message.ts'
import { openIn } from './store.ts'

/** Size of a page of the operating system, which a disk receives in any order. */
const PAGE = 4_096
const LIMITS = { messages: 100_000, bytes: 0 }
/** Number of rounds through the log. In the second round, frames of the first are after the end of the log. */
const ROUNDS = 2

/** Files just before a sync ended. */
export interface Unsynced {
  readonly database: Buffer
  /** Log at the end of the previous sync. */
  readonly synced: Buffer
  /** Log with the transaction being synced. */
  readonly written: Buffer
  /** Ids of the messages whose promise has resolved. */
  readonly answered: readonly number[]
}

/** Stores messages in groups of one to six, with data of up to five pages. @returns the files before the end of each sync */
export async function recordSyncs(groups: number, random: () => number): Promise<Unsynced[]> {
  const directory = temporaryDirectory()
  const path = join(directory, DATABASE_FILE)
  const recorded: Unsynced[] = []
  const answered: number[] = []
  let database = Buffer.alloc(0)
  let synced = Buffer.alloc(0)
  const sync = WalSync.prototype.sync
  vi.spyOn(WalSync.prototype, 'sync').mockImplementation(function (this: WalSync, done) {
    const written = readFileSync(`${path}-wal`)
    recorded.push({ database, synced, written, answered: [...answered] })
    sync.call(this, (failure) => {
      synced = written
      done(failure)
    })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const storage = openIn(directory)
  for (let round = 0; round < ROUNDS; round++) {
    checkpoint(path)
    database = readFileSync(path)
    synced = readFileSync(`${path}-wal`)
    // Each round is shorter than the previous one, so that some of its frames remain.
    for (let n = 0; n < groups / (round + 1); n++) {
      const group = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
        const text = 'x'.repeat(random() < 0.7 ? 20 : random() * 5 * PAGE)
        return storage.messages.enqueue(message({ data: JSON.stringify({ text }) }), LIMITS)
      })
      for (const { id } of await Promise.all(group)) answered.push(id)
    }
  }
  await storage.close()
  return recorded
}

/** Copies all pages of the log into the database and begins a new round, like the checkpoint thread. */
function checkpoint(path: string): void {
  const db = connect(path)
  db.pragma('wal_checkpoint(RESTART)')
  db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`)
  db.close()
}

/** Returns a log that a power cut during the sync may leave. */
export function cutOff({ synced, written }: Unsynced, random: () => number): Buffer {
  const pages = pagesOf(synced, written).map(([before, after]) => {
    if (before.equals(after) || random() < 0.5) return before
    // The disk may have received the page before the last write into it.
    const part = random() < 0.2 ? Math.floor((random() * PAGE) / 8) * 8 : PAGE
    return Buffer.concat([after.subarray(0, part), before.subarray(part)])
  })
  const grown = Math.max(0, written.length - synced.length)
  const length = synced.length + (random() < 0.3 ? Math.floor(random() * grown) : grown)
  return Buffer.concat(pages).subarray(0, length)
}

/**
 * Returns the log after a failed sync, a restart and a power cut. The operating system treated the pages of the failed
 * sync as written. So only pages that were written again after the restart are on disk.
 *
 * @param log the log of the restarted server
 */
export function afterFailedSync({ synced, written }: Unsynced, log: Buffer, random: () => number): Buffer {
  const failed = pagesOf(synced, written)
  const pages = pagesOf(log).map(([page], n) => {
    const [before, after] = failed[n] ?? [page, page]
    return page.equals(after) && random() < 0.7 ? before : page
  })
  return Buffer.concat(pages).subarray(0, log.length)
}

/** Returns the corresponding pages of files. After the end of a file they hold zeros. */
function pagesOf<Files extends [Buffer, ...Buffer[]]>(...files: Files): { [Each in keyof Files]: Buffer }[] {
  const count = Math.ceil(Math.max(...files.map(({ length }) => length)) / PAGE)
  return Array.from({ length: count }, (_, n) => {
    const pages = files.map((file) => Buffer.concat([file.subarray(n * PAGE, (n + 1) * PAGE)], PAGE))
    return pages as { [Each in keyof Files]: Buffer }
  })
}
