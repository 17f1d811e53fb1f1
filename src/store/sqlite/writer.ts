/**
 * Group commit: what arrives while a sync is under way becomes durable together with the next one. The commits are made
 * here, and others wait for the disk, so that a slow one holds up nobody who only reads. Knows no tables.
 */
import type { Database } from 'better-sqlite3'
import { BrokerError } from '../../broker/errors.ts'
import { type Failure, foreseen, isFailure, toError, toFailure, unreliable } from './faults.ts'
import { Log } from './log.ts'
import { type Change, type Outcome, Transactions, type Unit, type Value } from './transactions.ts'

/*
 * open ──► failed    a sync failed: what is on disk is not known any more, so no write is taken until a restart
 *   │
 *   └────► closed
 */

interface Job {
  readonly unit: Unit
  readonly resolve: (changes: readonly number[]) => void
  readonly reject: (error: unknown) => void
}

interface Batch {
  readonly jobs: Job[]
  readonly outcomes: Outcome[]
}

/** Units in one transaction; the rest waits for the next one, so that a crowd does not hold up who only reads. */
const MAX_BATCH = 250

/** How long another program may hold the database, and how long to wait between two tries. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_PAUSE_MS = 10

const NOTHING: Unit = []

export class Writer {
  readonly #db: Database
  readonly #transactions: Transactions
  readonly #log: Log
  readonly #onFailure: (error: Error) => void
  #pending: Job[] = []
  /** Committed, and on their way to the disk. */
  #underWay: Batch | null = null
  #checkpointing = false
  #scheduled = false
  /** When another program was first found to hold the database, and the next try. */
  #lockedSinceMs: number | null = null
  #retry: NodeJS.Timeout | null = null
  /** Told when all that was pending when it closed is done. */
  #closed: (() => void) | null = null
  #refusal: BrokerError | null = null

  /**
   * @param db nobody else writes on it; its owner closes it after this
   * @param onFailure told once, when writes stop for good
   */
  constructor(db: Database, onFailure: (error: Error) => void) {
    this.#db = db
    this.#onFailure = onFailure
    // Waiting is done here, where it holds up nobody.
    db.pragma('busy_timeout = 0')
    this.#transactions = new Transactions(db)
    this.#log = new Log(db)
  }

  /** Nobody waits for the disk. */
  get isIdle(): boolean {
    return !this.#isBusy && this.#pending.length === 0 && this.#refusal === null
  }

  prepare(sql: string): Change {
    return this.#db.prepare<Value[]>(sql)
  }

  /**
   * Runs the steps of a unit inside the next transaction.
   *
   * @returns how many rows each step changed, once that is on disk
   * @throws {BrokerError} storage-full, storage-busy, storage-closed: nothing was changed; storage-failed: not known
   */
  write(unit: Unit): Promise<readonly number[]> {
    if (this.#refusal) return Promise.reject(this.#refusal)
    return new Promise((resolve, reject) => {
      this.#pending.push({ unit, resolve, reject })
      if (this.#isBusy || this.#scheduled) return
      this.#scheduled = true
      setImmediate(() => {
        this.#scheduled = false
        this.#next()
      })
    })
  }

  /**
   * For an error that somebody met who reads the same database: one that leaves the disk in doubt stops all writes.
   *
   * @returns what to tell the caller
   */
  met(error: unknown): unknown {
    const refusal = foreseen(toFailure(error))
    if (refusal?.code === 'storage-failed') this.#fail(error as Error)
    return refusal ?? error
  }

  /** Runs what reads the database; what it finds may not be on disk yet. @throws what {@link met} makes of an error */
  read<T>(look: () => T): T {
    try {
      return look()
    } catch (error) {
      throw this.met(error)
    }
  }

  /**
   * Runs what reads the database.
   *
   * @returns what it found, once that is on disk
   * @throws as {@link read}, and storage-failed when it is not known whether that is on disk
   */
  async readSynced<T>(look: () => T): Promise<T> {
    if (this.#refusal?.code === 'storage-failed') throw this.#refusal
    const found = this.read(look)
    const { jobs, outcomes } = this.#underWay ?? {}
    if (!jobs || !outcomes) return found
    return new Promise((resolve, reject) => {
      jobs.push({ unit: NOTHING, resolve: () => resolve(found), reject })
      outcomes.push([])
    })
  }

  /** Commits what is pending; takes nothing more. */
  async close(): Promise<void> {
    this.#refusal ??= new BrokerError('storage-closed', 'The server is shutting down. Try again in a moment.')
    await new Promise<void>((resolve) => {
      this.#closed = resolve
      this.#next()
    })
    await this.#log.close()
  }

  get #isBusy(): boolean {
    return this.#underWay !== null || this.#checkpointing || this.#retry !== null
  }

  #next(): void {
    while (!this.#isBusy && this.#pending.length > 0) {
      const jobs = this.#pending.splice(0, MAX_BATCH)
      const outcomes = this.#transactions.commit(jobs.map(({ unit }) => unit))
      if (outcomes.every(isBusy) && this.#mayRetry()) {
        this.#pending.unshift(...jobs)
        return
      }
      this.#lockedSinceMs = null
      if (outcomes.every(isFailure)) this.#settle({ jobs, outcomes })
      else {
        this.#underWay = { jobs, outcomes }
        this.#log.sync((failure) => this.#synced(failure))
      }
    }
    if (!this.#isBusy) this.#closed?.()
  }

  /** Another program holds the database. @returns false when it has done so for too long */
  #mayRetry(): boolean {
    const now = performance.now()
    this.#lockedSinceMs ??= now
    if (now - this.#lockedSinceMs > LOCK_TIMEOUT_MS) return false
    this.#retry = setTimeout(() => {
      this.#retry = null
      this.#next()
    }, LOCK_PAUSE_MS)
    return true
  }

  #synced(failure: Failure | null): void {
    if (failure) this.#fail(toError(failure))
    const batch = this.#underWay
    this.#underWay = null
    if (this.#refusal?.code !== 'storage-failed' && this.#log.isLong) this.#checkpoint()
    // Before anybody is told, so that the disk works meanwhile.
    this.#next()
    if (batch) this.#settle(batch)
  }

  #checkpoint(): void {
    this.#checkpointing = true
    this.#log.checkpoint((failure) => {
      this.#checkpointing = false
      // What a full disk has no room for, or another program is in the way of, stays in the log.
      const code = failure && foreseen(failure)?.code
      if (failure && code !== 'storage-full' && code !== 'storage-busy') this.#fail(toError(failure))
      this.#next()
    })
  }

  #settle({ jobs, outcomes }: Batch): void {
    for (const outcome of outcomes) {
      if (isFailure(outcome) && foreseen(outcome)?.code === 'storage-failed') this.#fail(toError(outcome))
    }
    for (const [i, { resolve, reject }] of jobs.entries()) {
      const outcome = outcomes[i] as Outcome
      if (isFailure(outcome)) reject(foreseen(outcome) ?? toError(outcome))
      else resolve(outcome)
    }
  }

  /** The disk is in doubt: nothing more is written, and nobody is left waiting. */
  #fail(error: Error): void {
    const jobs = [...(this.#underWay?.jobs ?? []), ...this.#pending]
    this.#underWay = null
    this.#pending = []
    if (this.#refusal?.code !== 'storage-failed') {
      this.#refusal = unreliable(error)
      this.#onFailure(error)
    }
    for (const { reject } of jobs) reject(this.#refusal)
  }
}

function isBusy(outcome: Outcome): boolean {
  return isFailure(outcome) && foreseen(outcome)?.code === 'storage-busy'
}
