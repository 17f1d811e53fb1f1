/**
 * Group commit: what arrives while a sync is under way becomes durable together with the next one. The commits are made
 * here, in memory as far as SQLite is concerned; a thread of its own waits for the disk, so that a slow one holds up
 * nobody who only reads. Knows no tables.
 */
import type { Worker } from 'node:worker_threads'
import type { Database, Statement } from 'better-sqlite3'
import { BrokerError } from '../../broker/errors.ts'
import { CHECKPOINT_PAGES } from './connection.ts'
import { type Failure, foreseen, isFailure, toError, toFailure, unreliable } from './faults.ts'
import { type Answer, startThread, type Task } from './thread.ts'

/*
 * open ──► failed    a sync failed: what is on disk is not known any more, so no write is taken until a restart
 *   │
 *   └────► closed
 */

/** A value as SQLite keeps it. */
export type Value = string | number | null

/** A statement that changes something. */
export type Change = Statement<Value[]>

/** One run of a statement with its parameters. */
export type Step = readonly [change: Change, ...parameters: Value[]]

/** Steps that happen together or not at all. */
export type Unit = readonly Step[]

/** How many rows each step of a unit changed, or why none did anything. */
type Outcome = readonly number[] | Failure

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
  readonly #begin: Statement
  readonly #end: Statement
  readonly #rollback: Statement
  readonly #thread: Worker
  readonly #onFailure: (error: Error) => void
  readonly #ended: Promise<void>
  #pending: Job[] = []
  /** Committed, and on their way to the disk. */
  #underWay: Batch | null = null
  #checkpointing = false
  /** Pages in the write-ahead log at which it is brought into the database. */
  #checkpointAt = CHECKPOINT_PAGES
  #scheduled = false
  /** When another program was first found to hold the database, and the next try. */
  #lockedSinceMs: number | null = null
  #retry: NodeJS.Timeout | null = null
  #closing = false
  #refusal: BrokerError | null = null

  /**
   * @param db nobody else writes on it; its owner closes it after this
   * @param onFailure told once, when writes stop for good
   */
  constructor(db: Database, onFailure: (error: Error) => void) {
    this.#db = db
    this.#onFailure = onFailure
    // The thread does both. NORMAL, not OFF: what a checkpoint does must be in order on the disk.
    db.pragma('synchronous = NORMAL')
    db.pragma('wal_autocheckpoint = 0')
    // Waiting is done here, where it holds up nobody.
    db.pragma('busy_timeout = 0')
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#end = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#thread = startThread('sync-thread', db.name)
    this.#thread.on('message', (answer: Answer) => this.#answered(answer))
    this.#thread.on('error', (error) => this.#fail(error))
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', () => {
        if (!this.#closing) this.#fail(new Error('the thread that syncs ended'))
        resolve()
      })
    })
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
   * @throws {BrokerError} storage-full, storage-busy, storage-failed, storage-closed; nothing was changed then
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

  /** Commits what is pending and ends the thread; takes nothing more. */
  async close(): Promise<void> {
    this.#refusal ??= new BrokerError('storage-closed', 'The server is shutting down. Try again in a moment.')
    this.#closing = true
    this.#next()
    await this.#ended
  }

  get #isBusy(): boolean {
    return this.#underWay !== null || this.#checkpointing || this.#retry !== null
  }

  #ask(task: Task): void {
    this.#thread.postMessage(task)
  }

  #next(): void {
    while (!this.#isBusy && this.#pending.length > 0) {
      const jobs = this.#pending.splice(0, MAX_BATCH)
      const outcomes = this.#commit(jobs)
      if (outcomes.every(isBusy) && this.#mayRetry()) {
        this.#pending.unshift(...jobs)
        return
      }
      this.#lockedSinceMs = null
      if (outcomes.every(isFailure)) this.#settle({ jobs, outcomes })
      else {
        this.#underWay = { jobs, outcomes }
        this.#ask('sync')
      }
    }
    if (!this.#isBusy && this.#closing) this.#ask('end')
  }

  #commit(jobs: readonly Job[]): Outcome[] {
    try {
      this.#begin.run()
      const outcomes = jobs.map(({ unit }) =>
        unit.map(([change, ...values]) => change.run(...values).changes),
      )
      this.#end.run()
      return outcomes
    } catch (error) {
      // Some errors (a full disk among them) make SQLite roll back by itself.
      if (this.#db.inTransaction) this.#rollback.run()
      const failure = toFailure(error)
      if (jobs.length === 1 || foreseen(failure)) return jobs.map(() => failure)
      // One of them is to blame, and it alone shall fail.
      return jobs.flatMap((job) => this.#commit([job]))
    }
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

  #answered(answer: Answer): void {
    if (this.#checkpointing) this.#checkpointed(answer)
    else this.#synced(answer)
  }

  #synced(answer: Answer): void {
    if (isFailure(answer)) {
      this.#fail(toError(answer))
      return
    }
    const batch = this.#underWay
    this.#underWay = null
    if (answer.pages >= this.#checkpointAt) {
      this.#checkpointing = true
      this.#ask('checkpoint')
    }
    // Before anybody is told, so that both threads work.
    this.#next()
    if (batch) this.#settle(batch)
  }

  #checkpointed(answer: Answer): void {
    this.#checkpointing = false
    if (!isFailure(answer)) this.#checkpointAt = answer.pages + CHECKPOINT_PAGES
    else if (foreseen(answer)?.code === 'storage-failed') this.#fail(toError(answer))
    // What a full disk has no room for stays in the log.
    else this.#checkpointAt += CHECKPOINT_PAGES
    this.#next()
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
