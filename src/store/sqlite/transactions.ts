/** Many units in one transaction, of which one that cannot be done fails alone. Knows no tables. */
import type { Database, Statement } from 'better-sqlite3'
import { type Failure, foreseen, toFailure } from './faults.ts'

/** A value as SQLite keeps it. */
export type Value = string | number | null

/** A statement that changes something. */
export type Change = Statement<Value[]>

/** One run of a statement with its parameters. */
export type Step = readonly [change: Change, ...parameters: Value[]]

/** Steps that happen together or not at all. */
export type Unit = readonly Step[]

/** How many rows each step of a unit changed, or why none did anything. */
export type Outcome = readonly number[] | Failure

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
    this.#savepoint = db.prepare('SAVEPOINT unit')
    this.#undo = db.prepare('ROLLBACK TO unit')
    this.#release = db.prepare('RELEASE unit')
  }

  /** Makes one commit, or none. @returns what became of each unit */
  commit(units: readonly Unit[]): Outcome[] {
    let failure: Failure
    try {
      return this.#together(units, run)
    } catch (error) {
      failure = toFailure(error)
    }
    if (units.length > 1 && !foreseen(failure)) {
      // One of them is to blame, and it alone shall fail. Again in one commit: a log that lost more than its last one
      // counts as damaged.
      try {
        return this.#together(units, (unit) => this.#apart(unit))
      } catch (error) {
        failure = toFailure(error)
      }
    }
    return units.map(() => failure)
  }

  #together(units: readonly Unit[], runUnit: (unit: Unit) => Outcome): Outcome[] {
    this.#begin.run()
    try {
      const outcomes = units.map(runUnit)
      this.#end.run()
      return outcomes
    } catch (error) {
      // Some errors (a full disk among them) make SQLite roll back by itself.
      if (this.#db.inTransaction) this.#rollback.run()
      throw error
    }
  }

  /** @throws what is no fault of the unit */
  #apart(unit: Unit): Outcome {
    this.#savepoint.run()
    try {
      return run(unit)
    } catch (error) {
      const failure = toFailure(error)
      if (!this.#db.inTransaction || foreseen(failure)) throw error
      this.#undo.run()
      return failure
    } finally {
      if (this.#db.inTransaction) this.#release.run()
    }
  }
}

function run(unit: Unit): readonly number[] {
  return unit.map(([change, ...values]) => change.run(...values).changes)
}
