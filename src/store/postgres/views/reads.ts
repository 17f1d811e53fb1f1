/**
 * Performs reads for administrators, and their small idempotent writes, one after the other on one connection. A
 * statement that lost its connection is repeated once.
 */
import type { QueryResultRow } from 'pg'
import type { Connection, Statement } from '../database/connection.ts'
import { kindOf, storageAway, storageBusy, storageFull } from '../database/faults.ts'
import { PATIENCE_MS } from '../database/lane.ts'

const MAX_WAITING = 1_000

type Values = unknown[] | (() => unknown[])

interface Waiting {
  readonly begin: () => Promise<unknown>
  readonly sinceMs: number
  readonly reject: (error: unknown) => void
}

export class Reads {
  readonly #connection: Connection
  #waiting: Waiting[] = []
  #isRunning = false
  /** Error of the latest statement if the database did not answer it; else null. */
  #lastError: unknown = null

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Performs a statement that may take effect twice, and returns its rows.
   *
   * @param values or a function that returns them when the statement is sent, if they depend on the time
   * @throws {BrokerError} storage-away, storage-busy, storage-full; any other error is PostgreSQL's refusal of the statement, or a rollback because of another transaction
   */
  run<Row extends QueryResultRow>(statement: Statement | string, values: Values = []): Promise<Row[]> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(storageBusy())
    return new Promise((resolve, reject) => {
      const begin = () => this.#perform<Row>(statement, values).then(resolve, reject)
      this.#waiting.push({ begin, sinceMs: performance.now(), reject })
      if (!this.#isRunning) void this.#runAll()
    })
  }

  /** Rejects the callers whose statement waited too long to begin. The owner calls this twice a second. */
  giveUp(patienceMs = PATIENCE_MS): void {
    const nowMs = performance.now()
    const isOver = ({ sinceMs }: Waiting) => nowMs - sinceMs > patienceMs
    const over = this.#waiting.filter(isOver)
    if (over.length === 0) return
    this.#waiting = this.#waiting.filter((each) => !isOver(each))
    const error = this.#lastError === null ? storageBusy() : storageAway(this.#lastError)
    for (const { reject } of over) reject(error)
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next.begin()
    this.#isRunning = false
  }

  async #perform<Row extends QueryResultRow>(statement: Statement | string, values: Values): Promise<Row[]> {
    const beganMs = performance.now()
    for (;;) {
      try {
        const rows = await this.#connection.run<Row>(
          statement,
          typeof values === 'function' ? values() : values,
        )
        this.#lastError = null
        return rows
      } catch (error) {
        const kind = kindOf(error)
        if (kind === 'full') throw storageFull(error)
        if (kind !== 'unknown') throw error
        const isRepeated = this.#lastError !== null || performance.now() - beganMs > PATIENCE_MS
        this.#lastError = error
        if (isRepeated) throw storageAway(error)
      }
    }
  }
}
