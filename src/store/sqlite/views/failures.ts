/** Groups the failed messages of SQLite by device, cause and command. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import { FAILURE_CAUSES, type FailedMessages } from '../../../broker/contract/store-stats.ts'
import { failedCondition } from '../schema/rare-statuses.ts'

/** Maximum messages read. */
const MAX_SCAN = 10_000
/** Messages that one turn of the event loop reads. */
const STEP = 1_000

interface Row {
  readonly messageId: number
  readonly deviceId: string
  readonly command: string
  readonly atMs: number
  readonly cause: string | null
  readonly reason: string | null
  /** 1 if the message was sent again. */
  readonly isResent: number
}

/** Group during the read. */
type Group = Omit<FailedMessages, 'count' | 'sinceMs'> & { count: number; sinceMs: number }

/** Reads failed messages that were not sent again. */
export class Failures {
  readonly #rows: Statement<[{ since: number; ms: number; id: number }], Row>

  /** @param db connection for reads */
  constructor(db: Database) {
    this.#rows = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId, command, changed_at_ms AS atMs, cause,
         (SELECT reason FROM reports WHERE message_id = m.id) AS reason,
         EXISTS (SELECT 1 FROM resends WHERE message_id = m.id) AS isResent
       FROM messages m INDEXED BY messages_failed
       WHERE changed_at_ms >= @since AND changed_at_ms <= @ms AND (changed_at_ms < @ms OR id < @id) AND ${failedCondition('m.status')}
       ORDER BY changed_at_ms DESC, id DESC LIMIT ${STEP}`,
    )
  }

  /**
   * Returns the groups in the order of their latest failures, newest first.
   *
   * @param read performs a read of the database
   */
  async since(
    sinceMs: number,
    read: (rows: () => readonly Row[]) => Promise<readonly Row[]>,
  ): Promise<FailedMessages[]> {
    const groups = new Map<string, Group>()
    let before = { ms: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
    for (let scanned = 0; scanned < MAX_SCAN; scanned += STEP) {
      const after = before
      const rows = await read(() => this.#rows.all({ since: sinceMs, ...after }))
      for (const row of rows) if (row.isResent === 0) addTo(groups, row)
      const last = rows[STEP - 1]
      if (last === undefined) break
      before = { ms: last.atMs, id: last.messageId }
      await turn()
    }
    return [...groups.values()]
  }
}

function addTo(groups: Map<string, Group>, { cause: text, isResent, ...latest }: Row): void {
  const { deviceId, command, atMs } = latest
  const cause = FAILURE_CAUSES.find((each) => each === text) ?? null
  // The length tells where the id ends, so no two pairs of id and command have the same text.
  const key = `${cause} ${deviceId.length} ${deviceId}${command}`
  const group = groups.get(key)
  if (group) {
    group.count++
    group.sinceMs = atMs
  } else groups.set(key, { deviceId, cause, count: 1, sinceMs: atMs, latest })
}
