/** Gives metrics what this node counts, with the two gauges that it reads. */
import { TRANSITIONS } from '../../broker/status.ts'
import type { StoreCounts, StoreMetrics } from '../../broker/store-metrics.ts'
import { CAUSE_CODES, STATUS_CODES } from './codes.ts'
import type { PostgresParts } from './parts.ts'

/** Delayed messages that are counted. A larger number is not. */
const MAX_DELAYED = 50_000

export class PostgresMetrics implements StoreMetrics {
  readonly counts: StoreCounts
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.counts = parts.counts
  }

  /** Returns the number of pending messages whose delay is not over, up to 50,000. */
  async delayed(): Promise<number> {
    const [row] = await this.#parts.reads.run<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT FROM pending WHERE delayed AND due_at_ms > now_ms() LIMIT ${MAX_DELAYED}) p`,
    )
    return row?.count ?? 0
  }

  async parked(): Promise<number[]> {
    const { to, cause } = TRANSITIONS.parked
    const rows = await this.#parts.reads.run<{ id: number }>(
      `SELECT id FROM messages WHERE status = ${STATUS_CODES.of(to)} AND cause = ${CAUSE_CODES.of(cause)} ORDER BY id`,
    )
    return rows.map(({ id }) => id)
  }
}
