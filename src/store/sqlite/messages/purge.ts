/** Removes old messages and idempotency keys in small steps, so that no write waits long. Knows no queues. */
import type { Database, Statement } from 'better-sqlite3'
import { RECORD_LAST_MESSAGE_ID } from '../database/sequences.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import { segmentOfId } from '../schema/device-segments.ts'

const STEP_IDS = 250
const STEP_KEYS = 250

/**
 * Deletes messages with their entries in the index by device; SQLite deletes the rows that refer to them. Rows of
 * `deadlines` stay, and change nothing when they are due.
 */
export class Purge {
  readonly #writer: Writer
  readonly #firstFrom: Statement<[id: number], { id: number; createdAtMs: number }>
  readonly #newestMs: Statement<[], number>
  readonly #recordLastId: WriteStatement
  readonly #deleteMessages: WriteStatement
  readonly #deleteIndexEntries: WriteStatement
  readonly #moveNewest: WriteStatement
  readonly #deleteNewest: WriteStatement
  readonly #deleteSubmissions: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer) {
    this.#writer = writer
    this.#firstFrom = db.prepare(
      'SELECT id, created_at_ms AS createdAtMs FROM messages WHERE id >= ? ORDER BY id LIMIT 1',
    )
    this.#newestMs = db
      .prepare<[], number>('SELECT created_at_ms FROM messages ORDER BY id DESC LIMIT 1')
      .pluck()
    const old = `id >= ? AND id < ? AND NOT status = 'NOT_DELIVERED' AND changed_at_ms < ?`
    this.#recordLastId = writer.prepare(RECORD_LAST_MESSAGE_ID)
    this.#deleteMessages = writer.prepare(`DELETE FROM messages WHERE ${old}`)
    this.#deleteIndexEntries = writer.prepare(
      `DELETE FROM device_messages
       WHERE (segment, device_id, message_id) IN (SELECT ${segmentOfId('id')}, device_id, id FROM messages WHERE ${old})`,
    )
    // The newest message may go before an older message that is pending or changed later.
    this.#moveNewest = writer.prepare(
      `UPDATE newest_messages AS n SET message_id = coalesce((
         WITH RECURSIVE segments(segment) AS (
           VALUES (${segmentOfId('n.message_id')}) UNION ALL
           SELECT (SELECT max(segment) FROM device_messages WHERE segment < s.segment) FROM segments s WHERE s.segment IS NOT NULL
         )
         SELECT (SELECT max(message_id) FROM device_messages WHERE segment = s.segment AND device_id = n.device_id) AS id
         FROM segments s WHERE id IS NOT NULL LIMIT 1), 0)
       WHERE (device_id, message_id) IN (SELECT device_id, id FROM messages WHERE ${old})`,
    )
    this.#deleteNewest = writer.prepare(
      `DELETE FROM newest_messages
       WHERE message_id = 0 AND device_id IN (SELECT device_id FROM messages WHERE ${old})`,
    )
    this.#deleteSubmissions = writer.prepare(
      `DELETE FROM submissions WHERE (scope, key) IN
         (SELECT scope, key FROM submissions WHERE at_ms < ? ORDER BY at_ms LIMIT ${STEP_KEYS})`,
    )
  }

  /** Removes the messages that are not pending and last changed before a time. Returns their number. */
  async run(changedBeforeMs: number): Promise<number> {
    let removed = 0
    let first = this.#first(0)
    // Ids grow with time, and a message changes only after its creation. So the first younger message ends the search.
    while (first && first.createdAtMs < changedBeforeMs) {
      const end = first.id + STEP_IDS
      const old = [first.id, end, changedBeforeMs] as const
      removed += await this.#writer.write(() => {
        this.#recordLastId.run()
        this.#deleteIndexEntries.run(...old)
        this.#moveNewest.run(...old)
        this.#deleteNewest.run(...old)
        return this.#deleteMessages.run(...old).changes
      })
      first = this.#first(end)
    }
    return removed
  }

  /** Removes the idempotency keys that were first used before a time. Returns their number. */
  async submissions(usedBeforeMs: number): Promise<number> {
    let removed = 0
    for (;;) {
      const { changes } = await this.#writer.write(() => this.#deleteSubmissions.run(usedBeforeMs))
      removed += changes
      if (changes < STEP_KEYS) return removed
    }
  }

  /** Returns the time at which the newest message was stored; null without messages. */
  newestMs(): number | null {
    return this.#writer.read(() => this.#newestMs.get()) ?? null
  }

  #first(id: number): { id: number; createdAtMs: number } | undefined {
    return this.#writer.read(() => this.#firstFrom.get(id))
  }
}
