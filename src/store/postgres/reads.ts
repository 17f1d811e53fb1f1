/** Reads for administrators, one after the other on one connection. A read that lost its connection is repeated once. */
import type { QueryResultRow } from 'pg'
import type { Connection, Statement } from './connection.ts'
import { kindOf, storageAway } from './failures.ts'

export class Reads {
  readonly #connection: Connection
  #last: Promise<unknown> = Promise.resolve()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Performs a statement that may take effect twice, and returns its rows. @throws {BrokerError} storage-away */
  run<Row extends QueryResultRow>(statement: Statement | string, values: unknown[] = []): Promise<Row[]> {
    const rows = this.#last.then(() => this.#run<Row>(statement, values))
    this.#last = rows.catch(() => {})
    return rows
  }

  async #run<Row extends QueryResultRow>(statement: Statement | string, values: unknown[]): Promise<Row[]> {
    try {
      return await this.#connection.run<Row>(statement, values)
    } catch (error) {
      if (kindOf(error) !== 'unknown') throw error
    }
    try {
      return await this.#connection.run<Row>(statement, values)
    } catch (error) {
      throw kindOf(error) === 'unknown' ? storageAway(error) : error
    }
  }
}
