/**
 * What brings commits to the disk: a thread of node's own syncs the write-ahead log, one of ours brings it into the
 * database, so that a slow disk holds up nobody else. Knows no statements.
 */
import { close, fdatasync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { Database, Statement } from 'better-sqlite3'
import { sync } from './backup.ts'
import { type Failure, toFailure } from './faults.ts'
import { startThread } from './thread.ts'

/** Pages of the log after which they are brought into the database: 16 MiB. */
export const CHECKPOINT_PAGES = 4_096

/** Pages that a checkpoint had to leave in the log, as somebody still reads them; or why there was none. */
export type Checkpoint = { readonly left: number } | Failure

export class WalSync {
  readonly #path: string
  readonly #file: number
  readonly #state: Statement<[], [busy: number, pages: number, checkpointed: number]>
  #limit = CHECKPOINT_PAGES
  #thread: Worker | null = null
  #checkpointed: (result: Checkpoint) => void = () => {}

  /** @param db which from now on neither syncs nor brings its log into the database */
  constructor(db: Database) {
    this.#path = db.name
    // NORMAL, not OFF: what a checkpoint does must be in order on the disk.
    db.pragma('synchronous = NORMAL')
    db.pragma('wal_autocheckpoint = 0')
    this.#state = db.prepare<[], [number, number, number]>('PRAGMA wal_checkpoint(NOOP)').raw()
    this.#file = openSync(`${db.name}-wal`, 'r+')
    // What a killed process left in it is told of from now on, so it must be on disk; and so must the log's own name.
    sync(`${db.name}-wal`)
    sync(dirname(db.name))
  }

  /** It is time for a checkpoint. */
  get needsCheckpoint(): boolean {
    return (this.#state.get()?.[1] ?? 0) >= this.#limit
  }

  /** @param done told when all that was committed before is on disk, or why not */
  sync(done: (failure: Failure | null) => void): void {
    fdatasync(this.#file, (error) => done(error && toFailure(error)))
  }

  /** Nobody may write until it is done. */
  checkpoint(done: (failure: Failure | null) => void): void {
    this.#thread ??= this.#start()
    this.#checkpointed = (result) => {
      const failed = 'code' in result
      this.#limit = (failed ? this.#limit : result.left) + CHECKPOINT_PAGES
      done(failed ? result : null)
    }
    this.#thread.postMessage('checkpoint')
  }

  /** To be called when nothing is under way. */
  async close(): Promise<void> {
    await this.#thread?.terminate()
    await new Promise<unknown>((resolve) => close(this.#file, resolve))
  }

  #start(): Worker {
    const thread = startThread('checkpoint-thread', this.#path)
    thread.on('message', (result: Checkpoint) => this.#checkpointed(result))
    thread.on('error', (error) => {
      this.#thread = null
      this.#checkpointed(toFailure(error))
    })
    return thread
  }
}
