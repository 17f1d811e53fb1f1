/** Commits many batches in one transaction. A batch that cannot be stored fails alone. Knows no tables. */
import type { Database, Statement } from 'better-sqlite3'
import { type Failure, toBrokerError, toFailure } from './faults.ts'

export type Value = string | number | Buffer | null

export type WriteStatement = Statement<Value[]>

export type WriteOp = readonly [statement: WriteStatement, ...parameters: Value[]]

/** Operations that are applied together or not at all. */
export type WriteBatch = readonly WriteOp[]

/** Number of rows that each operation of a batch changed, or the reason why the batch changed nothing. */
export type WriteResult = readonly number[] | Failure

/** Runs batches on one connection, which has no other transaction open. */
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
   * @returns the result of each batch. If the storage is at fault, all results are the same failure
   */
  commit(batches: readonly WriteBatch[]): WriteResult[] {
    let failure: Failure
    try {
      return this.#commitTogether(batches, run)
    } catch (error) {
      failure = toFailure(error)
    }
    if (batches.length > 1 && !toBrokerError(failure)) {
      // One batch is at fault, and the others are stored without it. They share one commit again, because findWalDamage
      // allows a power cut to tear one commit only.
      try {
        return this.#commitTogether(batches, (batch) => this.#runInSavepoint(batch))
      } catch (error) {
        failure = toFailure(error)
      }
    }
    return batches.map(() => failure)
  }

  #commitTogether(
    batches: readonly WriteBatch[],
    runBatch: (batch: WriteBatch) => WriteResult,
  ): WriteResult[] {
    this.#begin.run()
    try {
      const outcomes = batches.map(runBatch)
      this.#commit.run()
      return outcomes
    } catch (error) {
      // SQLite rolls back by itself after some errors, for example if the disk is full.
      if (this.#db.inTransaction) this.#rollback.run()
      throw error
    }
  }

  /** Runs one batch in a savepoint. Returns the failure of the batch. @throws an error of the storage */
  #runInSavepoint(batch: WriteBatch): WriteResult {
    this.#savepoint.run()
    try {
      return run(batch)
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

function run(batch: WriteBatch): readonly number[] {
  return batch.map(([statement, ...values]) => statement.run(...values).changes)
}
