/** Removes old messages and idempotency keys. Several nodes may do so concurrently. */
import { setTimeout } from 'node:timers/promises'
import type { QueryResultRow } from 'pg'
import { kindOf } from '../database/faults.ts'
import { decodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import { type FullPartition, PartitionPurge } from './partition-purge.ts'

const STEP = 1_000
const STEP_KEYS = 1_000
/** Number of attempts of a statement, and the pause between them, in milliseconds. */
const TRIES = 20
const PAUSE_MS = 250

/** Removed message whose finish deadline ended with it. */
export interface PurgedUnfinished {
  readonly id: number
  readonly device_id: string
}

interface Step {
  readonly removed: number
  /** First id of the next step; null at the end. */
  readonly next: number | null
  readonly unfinished: readonly PurgedUnfinished[]
}

/** Runs a statement, and retries it if another transaction is in its way. */
export type RunPurge = <Row extends QueryResultRow>(sql: string, values: unknown[]) => Promise<Row[]>

export class Purges {
  readonly #parts: PostgresParts
  readonly #partitions: PartitionPurge

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#partitions = new PartitionPurge((sql, values) => this.#run(sql, values))
  }

  /**
   * Removes old messages. The messages of a partition that was filled within a day are removed together, when all of
   * them are old, so some of them live a day longer.
   */
  async purge(changedBeforeMs: number): Promise<number> {
    let removed = 0
    let from = 0
    for (const partition of await this.#partitions.full()) {
      if (!this.#partitions.isRemovedWhole(partition)) continue
      removed += await this.#purgeRange(from, partition.lowerId, changedBeforeMs)
      removed += await this.#purgePartition(partition, changedBeforeMs)
      from = partition.upperId
    }
    return removed + (await this.#purgeRange(from, Number.MAX_SAFE_INTEGER, changedBeforeMs))
  }

  async purgeSubmissions(usedBeforeMs: number): Promise<number> {
    let removed = 0
    for (;;) {
      const [row] = await this.#run<{ count: number }>(
        `WITH gone AS (
           DELETE FROM submissions s WHERE s.ctid = ANY(ARRAY(
             SELECT ctid FROM submissions WHERE at_ms < $1 ORDER BY at_ms LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1)
         SELECT count(*)::int AS count FROM gone`,
        [usedBeforeMs, STEP_KEYS],
      )
      const count = row?.count ?? 0
      removed += count
      if (count < STEP_KEYS) return removed
    }
  }

  async #purgeRange(fromId: number, toId: number, beforeMs: number): Promise<number> {
    let removed = 0
    let next: number | null = fromId
    while (next !== null) {
      const rows: { step: Step }[] = await this.#run('SELECT purge_messages($1, $2, $3, $4) AS step', [
        next,
        toId,
        beforeMs,
        STEP,
      ])
      const step = rows[0]?.step
      removed += step?.removed ?? 0
      this.#reportUnfinished(step?.unfinished ?? [])
      next = step?.next ?? null
    }
    return removed
  }

  async #purgePartition(partition: FullPartition, beforeMs: number): Promise<number> {
    const { removed, unfinished } = await this.#partitions.remove(partition, beforeMs)
    this.#reportUnfinished(unfinished)
    return removed
  }

  #reportUnfinished(unfinished: readonly PurgedUnfinished[]): void {
    for (const { id: messageId, device_id } of unfinished)
      this.#parts.events.emit({ is: 'unfinished', deviceId: decodeText(device_id), messageId, forMs: null })
  }

  async #run<Row extends QueryResultRow>(sql: string, values: unknown[]): Promise<Row[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#parts.reads.run<Row>(sql, values)
      } catch (error) {
        if (kindOf(error) !== 'repeat' || tries === TRIES) throw error
        await setTimeout(PAUSE_MS)
      }
    }
  }
}
