/** Groups the failed messages of SQLite by device, cause and command. */
import type { Database, Statement } from 'better-sqlite3'
import { FAILURE_CAUSES, type FailedMessages } from '../../../broker/contract/store-stats.ts'
import { failedCondition } from '../schema/rare-statuses.ts'

/** Maximum messages read. 10,000 take 10 ms through an index. */
const MAX_SCAN = 10_000

interface Row {
  readonly messageId: number
  readonly deviceId: string
  readonly command: string
  readonly atMs: number
  readonly cause: string | null
  readonly reason: string | null
}

/** Reads failed messages that were not sent again. */
export class Failures {
  readonly #rows: Statement<[sinceMs: number], Row>

  /** @param db connection for reads */
  constructor(db: Database) {
    this.#rows = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId, command, changed_at_ms AS atMs, cause,
         (SELECT reason FROM reports WHERE message_id = m.id) AS reason
       FROM (SELECT id, device_id, command, changed_at_ms, cause FROM messages m INDEXED BY messages_failed
             WHERE changed_at_ms >= ? AND ${failedCondition('m.status')}
             ORDER BY changed_at_ms DESC, id DESC LIMIT ${MAX_SCAN}) m
       WHERE NOT EXISTS (SELECT 1 FROM resends WHERE message_id = m.id)
       ORDER BY changed_at_ms DESC, id DESC`,
    )
  }

  /** Returns the groups in the order of their latest failures, newest first. */
  since(sinceMs: number): FailedMessages[] {
    const groups = new Map<string, FailedMessages>()
    for (const { cause: text, ...latest } of this.#rows.iterate(sinceMs)) {
      const { deviceId, command, atMs } = latest
      const cause = FAILURE_CAUSES.find((each) => each === text) ?? null
      const key = JSON.stringify([cause, deviceId, command])
      const group = groups.get(key)
      if (group) groups.set(key, { ...group, count: group.count + 1, sinceMs: atMs })
      else groups.set(key, { deviceId, cause, count: 1, sinceMs: atMs, latest })
    }
    return [...groups.values()]
  }
}
