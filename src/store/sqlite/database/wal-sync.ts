/**
 * Syncs the write-ahead log and copies its pages into the database (a checkpoint). The sync runs on a thread of libuv's
 * pool and the checkpoint on a worker thread, so that a slow disk does not block the event loop. Knows no statements.
 */
import { close, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Database, Statement } from 'better-sqlite3'
import { StartError } from '../../../process/start-error.ts'
import { startThread } from '../../../process/thread.ts'
import { sync } from './backup.ts'
import { type Failure, toFailure } from './faults.ts'
import type { OpenFiles } from './open-files.ts'

/** Number of pages in the log at which a checkpoint is due: 16 MiB. */
export const CHECKPOINT_PAGES = 4_096
/**
 * Number of pages at which the checkpoint thread is started. It takes 9 MB, so a server with little work does without
 * it. A server with many connections may have no descriptor left when the first checkpoint is due, so the thread starts
 * earlier.
 */
const THREAD_PAGES = CHECKPOINT_PAGES / 2

/** Number of pages that a checkpoint left in the log because of a reader, or the reason why there was no checkpoint. */
export type Checkpoint = { readonly left: number } | Failure

/**
 * Copies all pages of the log into the database, and empties the log. After a failed sync the operating system treats
 * pages as written that are not on disk, and syncing them again does nothing. The copy writes them once more.
 *
 * @param db connection that syncs, without a transaction
 * @throws {StartError} when another program reads the database
 */
export function emptyLog(db: Database): void {
  const [{ busy }] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
  if (busy !== 0) {
    throw new StartError(
      `${db.name} is being read by another program, for example by "waybill db backup": wait for its end or stop it, then try again`,
    )
  }
  // Without a sync, a power cut could bring the log back, with pages that are older than the database's.
  sync(`${db.name}-wal`)
}

/** Owns the descriptor of a write-ahead log and the checkpoint thread. */
export class WalSync {
  readonly #path: string
  readonly #file: number
  readonly #files: Pick<OpenFiles, 'findRemoved'> | null
  readonly #state: Statement<[], [busy: number, pages: number, checkpointed: number]>
  #limit = CHECKPOINT_PAGES
  #threadIsDue = true
  #thread: Worker | null = null
  #checkpointed: (result: Checkpoint) => void = () => {}

  /**
   * @param db connection that neither syncs nor makes checkpoints from now on
   * @param files checked after each sync: whether the log and the database still have a name
   */
  constructor(db: Database, files: Pick<OpenFiles, 'findRemoved'> | null = null) {
    this.#path = db.name
    this.#files = files
    // NORMAL, not OFF: with OFF a checkpoint would not order its own writes on the disk.
    db.pragma('synchronous = NORMAL')
    db.pragma('wal_autocheckpoint = 0')
    this.#state = db.prepare<[], [number, number, number]>('PRAGMA wal_checkpoint(NOOP)').raw()
    this.#file = openSync(`${db.name}-wal`, 'r+')
    // Syncing only the log does not make its name durable.
    sync(dirname(db.name))
  }

  /** Returns true if the log is long enough for a checkpoint. Starts the checkpoint thread ahead of time. */
  isCheckpointDue(): boolean {
    const pages = this.#state.get()?.[1] ?? 0
    if (this.#threadIsDue && pages >= THREAD_PAGES) {
      // Only once: if the thread ends, each checkpoint tries to start another one.
      this.#threadIsDue = false
      this.#thread ??= this.#start()
    }
    return pages >= this.#limit
  }

  /** Makes all earlier commits durable. @param done called at the end, with null after a successful sync */
  sync(done: (failure: Failure | null) => void): void {
    fdatasync(this.#file, (error) => {
      const found = error ?? this.#files?.findRemoved()
      done(found ? toFailure(found) : null)
    })
  }

  /**
   * Copies the pages of the log into the database. The caller makes no commit until the end.
   *
   * @param done called at the end, with null if the checkpoint succeeded or a reader kept it from some pages. After a failure the pages stay in the log, and the next checkpoint is due when the log has grown again
   */
  checkpoint(done: (failure: Failure | null) => void): void {
    this.#thread ??= this.#start()
    this.#checkpointed = (result) => {
      this.#checkpointed = () => {}
      const failed = 'code' in result
      this.#limit = (failed ? this.#limit : result.left) + CHECKPOINT_PAGES
      done(failed ? result : null)
    }
    this.#thread.postMessage('checkpoint')
  }

  /** Ends the thread and closes the descriptor. The caller ensures that no sync and no checkpoint is running. */
  async close(): Promise<void> {
    await this.#thread?.terminate()
    await new Promise<unknown>((resolve) => close(this.#file, resolve))
  }

  #start(): Worker {
    const thread = startThread('store/sqlite/database/checkpoint-thread', this.#path)
    const failed = (error: Error): void => {
      if (this.#thread !== thread) return
      this.#thread = null
      this.#checkpointed(toFailure(error))
    }
    thread.on('message', (result: Checkpoint) => this.#checkpointed(result))
    thread.on('error', failed)
    thread.on('exit', () => failed(new Error('the thread of the checkpoints has ended')))
    return thread
  }
}
