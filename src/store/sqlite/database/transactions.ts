/** Commits the work of many callers in one transaction. Work that cannot be stored fails alone. Knows no tables. */
import type { Database, Statement } from 'better-sqlite3'
import { type Failure, toBrokerError, toFailure } from './faults.ts'

export type Value = string | number | Buffer | null

export type WriteStatement = Statement<Value[]>

/**
 * Reads and changes the database in a transaction, with statements of the connection that writes. It takes effect as a
 * whole or not at all. It changes nothing but the database, because it runs again if the transaction is repeated.
 */
export type Work<T> = () => T

export interface Done {
  /** Result of the work. */
  readonly value: unknown
}

/** Result of work, or the reason why it changed nothing. */
export type WorkResult = Done | Failure

/** Runs work on one connection, which has no other transaction open. */
export class Transactions {
  readonly #db: Database
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #savepoint: Statement
  readonly #rollbackToSavepoint: Statement
  readonly #release: Statement

  constructor(db: Database) {
    this.#db = db
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#savepoint = db.prepare('SAVEPOINT batch')
    this.#rollbackToSavepoint = db.prepare('ROLLBACK TO batch')
    this.#release = db.prepare('RELEASE batch')
  }

  /**
   * Makes one commit, or none. The database is not synced.
   *
   * @returns the result of each work. If the storage is at fault, all results are the same failure
   */
  commit(works: readonly Work<unknown>[]): WorkResult[] {
    let failure: Failure
    try {
      return this.#commitTogether(works, run)
    } catch (error) {
      failure = toFailure(error)
    }
    if (works.length > 1 && !toBrokerError(failure)) {
      // One work is at fault, and the others are stored without it. They share one commit again, because findWalDamage
      // allows a power cut to tear one commit only.
      try {
        return this.#commitTogether(works, (work) => this.#runInSavepoint(work))
      } catch (error) {
        failure = toFailure(error)
      }
    }
    return works.map(() => failure)
  }

  #commitTogether(
    works: readonly Work<unknown>[],
    runWork: (work: Work<unknown>) => WorkResult,
  ): WorkResult[] {
    this.#begin.run()
    try {
      const outcomes = works.map(runWork)
      this.#commit.run()
      return outcomes
    } catch (error) {
      // SQLite rolls back by itself after some errors, for example if the disk is full.
      if (this.#db.inTransaction) this.#rollback.run()
      throw error
    }
  }

  /** Runs one work in a savepoint. Returns the failure of the work. @throws an error of the storage */
  #runInSavepoint(work: Work<unknown>): WorkResult {
    this.#savepoint.run()
    try {
      return run(work)
    } catch (error) {
      const failure = toFailure(error)
      if (!this.#db.inTransaction || toBrokerError(failure)) throw error
      this.#rollbackToSavepoint.run()
      return failure
    } finally {
      if (this.#db.inTransaction) this.#release.run()
    }
  }
}

function run(work: Work<unknown>): Done {
  return { value: work() }
}
