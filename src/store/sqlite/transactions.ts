/** Many batches in one transaction, of which one that cannot be done fails alone. Knows no tables. */
import type { Database, Statement } from 'better-sqlite3'
import { type Failure, toBrokerError, toFailure } from './faults.ts'

/** A value as SQLite keeps it. */
export type Value = string | number | null

/** A statement that changes something. */
export type WriteStatement = Statement<Value[]>

/** One run of a statement with its parameters. */
export type WriteOp = readonly [statement: WriteStatement, ...parameters: Value[]]

/** Steps that happen together or not at all. */
export type WriteBatch = readonly WriteOp[]

/** How many rows each step of a batch changed, or why none did anything. */
export type WriteResult = readonly number[] | Failure

export class Transactions {
  readonly #db: Database
  readonly #begin: Statement
  readonly #end: Statement
  readonly #rollback: Statement
  readonly #savepoint: Statement
  readonly #undo: Statement
  readonly #release: Statement

  constructor(db: Database) {
    this.#db = db
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#end = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#savepoint = db.prepare('SAVEPOINT batch')
    this.#undo = db.prepare('ROLLBACK TO batch')
    this.#release = db.prepare('RELEASE batch')
  }

  /** Makes one commit, or none. @returns what became of each batch */
  commit(batches: readonly WriteBatch[]): WriteResult[] {
    let failure: Failure
    try {
      return this.#together(batches, run)
    } catch (error) {
      failure = toFailure(error)
    }
    if (batches.length > 1 && !toBrokerError(failure)) {
      // One of them is to blame, and it alone shall fail. Again in one commit: a log that lost more than its last one
      // counts as damaged.
      try {
        return this.#together(batches, (batch) => this.#apart(batch))
      } catch (error) {
        failure = toFailure(error)
      }
    }
    return batches.map(() => failure)
  }

  #together(batches: readonly WriteBatch[], runBatch: (batch: WriteBatch) => WriteResult): WriteResult[] {
    this.#begin.run()
    try {
      const outcomes = batches.map(runBatch)
      this.#end.run()
      return outcomes
    } catch (error) {
      // Some errors (a full disk among them) make SQLite roll back by itself.
      if (this.#db.inTransaction) this.#rollback.run()
      throw error
    }
  }

  /** @throws what is no fault of the batch */
  #apart(batch: WriteBatch): WriteResult {
    this.#savepoint.run()
    try {
      return run(batch)
    } catch (error) {
      const failure = toFailure(error)
      if (!this.#db.inTransaction || toBrokerError(failure)) throw error
      this.#undo.run()
      return failure
    } finally {
      if (this.#db.inTransaction) this.#release.run()
    }
  }
}

function run(batch: WriteBatch): readonly number[] {
  return batch.map(([statement, ...values]) => statement.run(...values).changes)
}
