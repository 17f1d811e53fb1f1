/**
 * Removes a partition whose messages are all old. A DELETE of ten million messages would change every index for each of
 * them, and need a vacuum afterwards.
 */

import { PARTITION_IDS } from '../schema/tables.ts'
import type { PurgedUnfinished, RunPurge } from './purge.ts'

export interface FullPartition {
  readonly number: number
  readonly lowerId: number
  /** First id after it. */
  readonly upperId: number
  /** Times at which its first and its last message were stored; null for an empty partition. */
  readonly firstMs: number | null
  readonly lastMs: number | null
}

interface Removal {
  readonly removed: number
  readonly unfinished: readonly PurgedUnfinished[]
}

const NOTHING: Removal = { removed: 0, unfinished: [] }
/** Fill time of a partition, above which it is purged row by row. */
const WHOLE_MS = 86_400_000
const STEP_IDS = 50_000
/**
 * Maximum messages that may stay. A partition with more is left for a later purge, because moving them blocks
 * everything else.
 */
const MAX_STAYING = PARTITION_IDS / 100

export class PartitionPurge {
  readonly #run: RunPurge

  constructor(run: RunPurge) {
    this.#run = run
  }

  /** Returns the full partitions, the oldest first. */
  full(): Promise<FullPartition[]> {
    return this.#run<FullPartition>(
      `SELECT number, lower_id AS "lowerId", upper_id AS "upperId", first_ms AS "firstMs", last_ms AS "lastMs"
       FROM full_partitions($1)`,
      [PARTITION_IDS],
    )
  }

  isRemovedWhole({ firstMs, lastMs }: FullPartition): boolean {
    return firstMs === null || lastMs === null || lastMs - firstMs <= WHOLE_MS
  }

  /** Removes a partition if it is the oldest and all its messages were stored before a time. */
  async remove({ number, lowerId, upperId, lastMs }: FullPartition, beforeMs: number): Promise<Removal> {
    if (lastMs !== null && lastMs >= beforeMs) return NOTHING
    const [oldest] = await this.full()
    if (oldest?.number !== number) return NOTHING
    const found = await this.#candidates(lowerId, upperId, beforeMs)
    if (found.ids.length > MAX_STAYING) return NOTHING
    await this.#run('SELECT raise_old_bound($1)', [upperId])
    // Reads the rows without a lock that blocks anything else.
    await this.#run('ALTER TABLE messages_old VALIDATE CONSTRAINT bound', [])
    await this.#run('ALTER TABLE attempts_old VALIDATE CONSTRAINT bound', [])
    const [row] = await this.#run<{ dropped: { moved: number; unfinished: PurgedUnfinished[] } | null }>(
      'SELECT drop_partition($1, $2, $3, $4) AS dropped',
      [number, upperId, beforeMs, found.ids],
    )
    if (!row?.dropped) return NOTHING
    await this.#removeOrphans(lowerId, upperId)
    return { removed: found.count - row.dropped.moved, unfinished: row.dropped.unfinished }
  }

  /** Counts the messages of a partition, and finds those that may stay. */
  async #candidates(lowerId: number, upperId: number, beforeMs: number) {
    const ids: number[] = []
    let count = 0
    for (let from = lowerId; from < upperId && ids.length <= MAX_STAYING; from += STEP_IDS) {
      const to = Math.min(from + STEP_IDS, upperId)
      const [row] = await this.#run<{ count: number; ids: string[] }>(
        'SELECT count, ids FROM purge_candidates($1, $2, $3)',
        [from, to, beforeMs],
      )
      count += row?.count ?? 0
      for (const id of row?.ids ?? []) ids.push(Number(id))
    }
    return { count, ids }
  }

  async #removeOrphans(lowerId: number, upperId: number): Promise<void> {
    let removed: number
    do {
      const [row] = await this.#run<{ removed: number }>('SELECT purge_orphans($1, $2, $3) AS removed', [
        lowerId,
        upperId,
        1_000,
      ])
      removed = row?.removed ?? 0
    } while (removed > 0)
  }
}
