/** Reports this node's counters, and three gauges read from the database. */

import type { StoreCounts, StoreMetrics } from '../../../broker/contract/store-metrics.ts'
import { TRANSITIONS } from '../../../broker/vocabulary/status.ts'
import type { PostgresParts } from '../parts.ts'
import { CAUSE_CODES } from '../schema/codes.ts'
import { messagesOf, newestRare } from '../schema/rare-messages.ts'
import type { Reads } from './reads.ts'

/** Maximum delayed messages that are counted. */
const MAX_DELAYED = 50_000

/**
 * Detects a missing standby. A role without pg_read_all_stats does not see which standbys are synchronous. It sees its
 * own commits, and a commit that waits for more than a second waits for a missing standby.
 */
const STANDBY = `SELECT CASE WHEN current_setting('synchronous_standby_names') <> '' THEN
    pg_has_role('pg_read_all_stats', 'USAGE')
      AND NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum'))
    OR EXISTS (SELECT FROM pg_stat_activity
      WHERE wait_event = 'SyncRep' AND query_start < clock_timestamp() - interval '1 second')
  END AS missing`

export class PostgresMetrics implements StoreMetrics {
  readonly counts: StoreCounts
  readonly #parts: PostgresParts
  readonly #pureReads: Pick<Reads, 'run'>

  /** @param pureReads reads over a connection without writes, which would wait for a missing standby */
  constructor(parts: PostgresParts, pureReads: Pick<Reads, 'run'>) {
    this.#parts = parts
    this.#pureReads = pureReads
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

  async standbyMissing(): Promise<boolean | null> {
    const [row] = await this.#pureReads.run<{ missing: boolean | null }>(STANDBY)
    return row?.missing ?? null
  }

  async parked(): Promise<number[]> {
    const { to, cause } = TRANSITIONS.parked
    const rows = await this.#parts.reads.run<{ id: number }>(
      `SELECT id FROM ${messagesOf(newestRare([to], {}), 'm.cause')} m WHERE cause = ${CAUSE_CODES.of(cause)} ORDER BY id`,
    )
    return rows.map(({ id }) => id)
  }
}
