/** Reports the counters of the SQLite driver, and two gauges read from memory and disk. */
import type { Database, Statement } from 'better-sqlite3'
import type { StoreCounts, StoreMetrics } from '../../../broker/contract/store-metrics.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { TRANSITIONS } from '../../../broker/vocabulary/status.ts'
import type { Writer } from '../database/writer.ts'
import type { Queues } from '../messages/queues.ts'
import { rareCondition } from '../schema/rare-statuses.ts'

interface Parts {
  readonly writer: Writer
  readonly queues: Queues
  readonly counts: StoreCounts
  readonly clock: Clock
}

export class SqliteMetrics implements StoreMetrics {
  readonly counts: StoreCounts
  readonly #parts: Parts
  readonly #parked: Statement<[], number>

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    const { to, cause } = TRANSITIONS.parked
    this.counts = parts.counts
    this.#parts = parts
    this.#parked = db
      .prepare<[], number>(
        `SELECT id FROM messages INDEXED BY messages_rare
         WHERE status = '${to}' AND ${rareCondition()} AND cause = '${cause}'`,
      )
      .pluck()
  }

  delayed(): number {
    const { queues, clock } = this.#parts
    return queues.delayed(clock)
  }

  standbyMissing(): null {
    return null
  }

  parked(): number[] {
    return this.#parts.writer.read(() => this.#parked.all())
  }
}
