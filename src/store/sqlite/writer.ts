/**
 * Group commit: what arrives while a commit is under way becomes durable together in the next one. The commits are
 * made by a thread of their own, so that a slow disk holds up nobody who only reads. Knows no tables.
 */
import type { Worker } from 'node:worker_threads'
import { BrokerError } from '../../broker/errors.ts'
import { type Failure, foreseen, isFailure, toError, toFailure, unreliable } from './faults.ts'
import { startThread } from './thread.ts'

/*
 * open ──► failed    a sync failed: what is on disk is not known any more, so no write is taken until a restart
 *   │
 *   └────► closed
 */

/** A value as SQLite keeps it. */
export type Value = string | number | null

/** One run of a statement: its number, then its parameters. */
export type Step = readonly [statement: number, ...parameters: Value[]]

/** Steps that happen together or not at all. */
export type Unit = readonly Step[]

/** What the thread answers for each unit: how many rows each of its steps changed, or why none did anything. */
export type Outcome = readonly number[] | Failure

interface Job {
  readonly unit: Unit
  readonly resolve: (changes: readonly number[]) => void
  readonly reject: (error: unknown) => void
}

/** Units in one transaction; the rest waits for the next one. */
const MAX_BATCH = 1_000

export class Writer {
  readonly #thread: Worker
  readonly #onFailure: (error: Error) => void
  readonly #ended: Promise<void>
  #statements = 0
  #pending: Job[] = []
  #underWay: Job[] | null = null
  #scheduled = false
  #closing = false
  #refusal: BrokerError | null = null

  /**
   * @param path of a database that is there
   * @param onFailure told once, when writes stop for good
   */
  constructor(path: string, onFailure: (error: Error) => void) {
    this.#onFailure = onFailure
    this.#thread = startThread(path)
    this.#thread.on('message', (outcomes: Outcome[]) => this.#settle(outcomes))
    this.#thread.on('error', (error) => this.#fail(error))
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', () => {
        if (!this.#closing) this.#fail(new Error('the thread that writes ended'))
        resolve()
      })
    })
  }

  /** Nobody waits for a commit. */
  get isIdle(): boolean {
    return this.#underWay === null && this.#pending.length === 0 && this.#refusal === null
  }

  /** @returns the number that stands for a statement in steps */
  prepare(sql: string): number {
    this.#thread.postMessage(sql)
    return this.#statements++
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
      if (this.#underWay || this.#scheduled) return
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

  /** Runs what reads the same database. @throws what {@link met} makes of an error */
  read<T>(look: () => T): T {
    try {
      return look()
    } catch (error) {
      throw this.met(error)
    }
  }

  /** Commits what is pending and ends the thread; takes nothing more. */
  async close(): Promise<void> {
    this.#refusal ??= new BrokerError('storage-closed', 'The server is shutting down. Try again in a moment.')
    this.#closing = true
    this.#next()
    await this.#ended
  }

  #next(): void {
    if (this.#underWay) return
    if (this.#pending.length > 0) {
      this.#underWay = this.#pending.splice(0, MAX_BATCH)
      this.#thread.postMessage(this.#underWay.map(({ unit }) => unit))
    } else if (this.#closing) {
      this.#thread.postMessage(null)
    }
  }

  #settle(outcomes: readonly Outcome[]): void {
    const jobs = this.#underWay as Job[]
    this.#underWay = null
    for (const outcome of outcomes) {
      if (isFailure(outcome) && foreseen(outcome)?.code === 'storage-failed') this.#fail(toError(outcome))
    }
    // Before anybody is told, so that both threads work.
    this.#next()
    for (const [i, { resolve, reject }] of jobs.entries()) {
      const outcome = outcomes[i] as Outcome
      if (isFailure(outcome)) reject(foreseen(outcome) ?? toError(outcome))
      else resolve(outcome)
    }
  }

  /** The disk is in doubt: nothing more is written, and nobody is left waiting. */
  #fail(error: Error): void {
    const jobs = [...(this.#underWay ?? []), ...this.#pending]
    this.#underWay = null
    this.#pending = []
    if (this.#refusal?.code !== 'storage-failed') {
      this.#refusal = unreliable(error)
      this.#onFailure(error)
    }
    for (const { reject } of jobs) reject(this.#refusal)
  }
}
