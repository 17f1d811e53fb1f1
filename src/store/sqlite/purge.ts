/** Removes old messages, in steps so small that nobody waits long behind one. Knows no queues. */
import type { Database, Statement } from 'better-sqlite3'
import { RECORD_LAST_MESSAGE_ID } from './sequences.ts'
import type { WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

/** Message ids looked at in one step. */
const STEP = 250

export class Purge {
  readonly #writer: Writer
  readonly #firstFrom: Statement<[id: number], { id: number; createdAtMs: number }>
  readonly #noteLast: WriteStatement
  readonly #ofMessages: WriteStatement
  readonly #ofIndex: WriteStatement

  /** @param db to read on */
  constructor(db: Database, writer: Writer) {
    this.#writer = writer
    this.#firstFrom = db.prepare(
      'SELECT id, created_at_ms AS createdAtMs FROM messages WHERE id >= ? ORDER BY id LIMIT 1',
    )
    const old = `id >= ? AND id < ? AND NOT status = 'NOT_DELIVERED' AND changed_at_ms < ?`
    this.#noteLast = writer.prepare(RECORD_LAST_MESSAGE_ID)
    this.#ofMessages = writer.prepare(`DELETE FROM messages WHERE ${old}`)
    this.#ofIndex = writer.prepare(
      `DELETE FROM device_messages
       WHERE (device_id, message_id) IN (SELECT device_id, id FROM messages WHERE ${old})`,
    )
  }

  /** Of those that do not wait and last changed before a time. @returns how many were removed */
  async run(changedBeforeMs: number): Promise<number> {
    let removed = 0
    let first = this.#first(0)
    // Ids grow with time, and no message changed before it was made: the first young one ends the search.
    while (first && first.createdAtMs < changedBeforeMs) {
      const end = first.id + STEP
      const [, , changes = 0] = await this.#writer.write([
        [this.#noteLast],
        [this.#ofIndex, first.id, end, changedBeforeMs],
        [this.#ofMessages, first.id, end, changedBeforeMs],
      ])
      removed += changes
      first = this.#first(end)
    }
    return removed
  }

  #first(id: number): { id: number; createdAtMs: number } | undefined {
    return this.#writer.read(() => this.#firstFrom.get(id))
  }
}
