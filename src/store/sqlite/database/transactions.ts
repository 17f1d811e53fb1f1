/** Commits the tasks of many callers in one transaction. A task that cannot be stored fails alone. Knows no tables. */
import type { Database, Statement } from 'better-sqlite3'
import { type Failure, toBrokerError, toFailure } from './faults.ts'

export type Value = string | number | Buffer | null

export type WriteStatement = Statement<Value[]>

/**
 * Reads and changes the database in a transaction, with statements of the connection that writes. A task takes effect as
 * a whole or not at all. It changes nothing but the database, because it runs again if the transaction is repeated.
 */
export type Task<T> = () => T

export interface Done {
  /** Result of the task. */
  readonly value: unknown
}

/** Result of a task, or the reason why it changed nothing. */
export type TaskResult = Done | Failure

/** Runs tasks on one connection, which has no other transaction open. */
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
   * @returns the result of each task. If the storage is at fault, all results are the same failure
   */
  commit(tasks: readonly Task<unknown>[]): TaskResult[] {
    let failure: Failure
    try {
      return this.#commitTogether(tasks, run)
    } catch (error) {
      failure = toFailure(error)
    }
    if (tasks.length > 1 && !toBrokerError(failure)) {
      // One task is at fault, and the others are stored without it. They share one commit again, because findWalDamage
      // allows a power cut to tear one commit only.
      try {
        return this.#commitTogether(tasks, (task) => this.#runInSavepoint(task))
      } catch (error) {
        failure = toFailure(error)
      }
    }
    return tasks.map(() => failure)
  }

  #commitTogether(
    tasks: readonly Task<unknown>[],
    runTask: (task: Task<unknown>) => TaskResult,
  ): TaskResult[] {
    this.#begin.run()
    try {
      const outcomes = tasks.map(runTask)
      this.#commit.run()
      return outcomes
    } catch (error) {
      // SQLite rolls back by itself after some errors, for example if the disk is full.
      if (this.#db.inTransaction) this.#rollback.run()
      throw error
    }
  }

  /** Runs one task in a savepoint. Returns the failure of the task. @throws an error of the storage */
  #runInSavepoint(task: Task<unknown>): TaskResult {
    this.#savepoint.run()
    try {
      return run(task)
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

function run(task: Task<unknown>): Done {
  return { value: task() }
}
