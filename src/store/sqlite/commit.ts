/** Group commit: what arrives in one turn of the event loop becomes durable together. Knows no tables. */
import type { Database } from 'better-sqlite3'
import { BrokerError } from '../../broker/errors.ts'

/*
 * open ──► failed    a sync failed: what is on disk is not known any more, so no write is taken until a restart
 *   │
 *   └────► closed
 */

interface Job {
  readonly operation: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  error?: unknown
  result?: unknown
}

/** Operations in one transaction; the rest waits for the next turn of the event loop. */
const MAX_BATCH = 1_000

export class GroupCommit {
  readonly #db: Database
  readonly #onFailure: (error: Error) => void
  readonly #exec: Record<'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'undo', () => void>
  #pending: Job[] = []
  #scheduled = false
  #refusal: BrokerError | null = null

  /** @param onFailure told once, when writes stop for good */
  constructor(db: Database, onFailure: (error: Error) => void) {
    this.#db = db
    this.#onFailure = onFailure
    const statement = (sql: string): (() => void) => {
      const prepared = db.prepare(sql)
      return () => prepared.run()
    }
    this.#exec = {
      begin: statement('BEGIN IMMEDIATE'),
      commit: statement('COMMIT'),
      rollback: statement('ROLLBACK'),
      savepoint: statement('SAVEPOINT operation'),
      release: statement('RELEASE operation'),
      undo: statement('ROLLBACK TO operation'),
    }
  }

  /**
   * Runs a synchronous operation inside the next transaction. One that throws is undone and rejects its own
   * caller only.
   *
   * @returns what it returned, once that is on disk
   * @throws {BrokerError} storage-full, storage-failed, storage-closed; nothing was changed then
   */
  write<T>(operation: () => T): Promise<T> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ operation, resolve: resolve as (result: unknown) => void, reject })
      this.#schedule()
    })
  }

  /** Commits what is pending; takes nothing more. */
  close(): void {
    while (this.#pending.length > 0) this.#flush()
    this.#refusal ??= new BrokerError('storage-closed', 'The server is shutting down. Try again in a moment.')
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#flush()
      if (this.#pending.length > 0) this.#schedule()
    })
  }

  #flush(): void {
    const jobs = this.#pending.splice(0, MAX_BATCH)
    if (jobs.length === 0) return
    try {
      if (this.#refusal) throw this.#refusal
      this.#exec.begin()
      for (const job of jobs) this.#run(job)
      this.#exec.commit()
    } catch (error) {
      this.#giveUp(jobs, error)
      return
    }
    // Only now is anything true: callers and those they tell must not hear of it before the commit.
    for (const job of jobs) {
      if ('error' in job) job.reject(job.error)
      else job.resolve(job.result)
    }
  }

  #run(job: Job): void {
    this.#exec.savepoint()
    try {
      job.result = job.operation()
    } catch (error) {
      // Some errors (a full disk among them) make SQLite roll back the whole transaction.
      if (!this.#db.inTransaction) throw error
      this.#exec.undo()
      job.error = foreseen(error) ?? error
    }
    this.#exec.release()
  }

  #giveUp(jobs: readonly Job[], error: unknown): void {
    if (this.#db.inTransaction) this.#exec.rollback()
    const refusal = foreseen(error)
    if (refusal?.code === 'storage-failed' && !this.#refusal) {
      this.#refusal = refusal
      this.#onFailure(error as Error)
    }
    for (const job of jobs) job.reject(refusal ?? error)
  }
}

/** What an error of SQLite means to a caller; null for any other error. */
function foreseen(error: unknown): BrokerError | null {
  if (error instanceof BrokerError) return error
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code !== 'string') return null
  // SHMSIZE: the write-ahead log's index could not grow, for want of space too.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE') {
    return new BrokerError(
      'storage-full',
      'The disk is full: nothing was stored. Free some space and send it again.',
      error,
    )
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new BrokerError(
      'storage-busy',
      'Another program holds the database: nothing was stored. Send it again.',
      error,
    )
  }
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CORRUPT')) {
    const message = 'The disk failed: nothing is stored any more. Check the disk, then restart the server.'
    return new BrokerError('storage-failed', message, error)
  }
  return null
}
