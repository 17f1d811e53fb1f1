/** Finds messages by their storage time, and by their order. Ids grow with time, so no index is needed. */
import type { Database, Statement } from 'better-sqlite3'
import type { Neighbours } from '../../../broker/contract/message-log.ts'

export class MessageTimes {
  readonly #newest: Statement<[], number | null>
  readonly #firstFrom: Statement<[id: number], { id: number; createdAtMs: number }>
  readonly #neighbours: Statement<[id: number, id: number], Neighbours>

  /** @param db connection for reads */
  constructor(db: Database) {
    this.#newest = db.prepare<[], number | null>('SELECT max(id) FROM messages').pluck()
    this.#firstFrom = db.prepare(
      'SELECT id, created_at_ms AS createdAtMs FROM messages WHERE id >= ? ORDER BY id LIMIT 1',
    )
    this.#neighbours = db.prepare(
      `SELECT (SELECT max(id) FROM messages WHERE id < ?) AS previousId,
         (SELECT min(id) FROM messages WHERE id > ?) AS nextId`,
    )
  }

  /** Returns the id after the newest message. */
  end(): number {
    return (this.#newest.get() ?? 0) + 1
  }

  /** Returns the id of the first message stored at a time or later; `end` without one. */
  firstSince(atMs: number, end: number): number {
    let low = 1
    let high = end
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const found = this.#firstFrom.get(middle)
      if (!found || found.createdAtMs >= atMs) high = middle
      else low = found.id + 1
    }
    return low
  }

  /** Returns the time at which the first message from an id on was stored; null without one. */
  atOrBehind(id: number): number | null {
    return this.#firstFrom.get(id)?.createdAtMs ?? null
  }

  neighbours(id: number): Neighbours {
    return this.#neighbours.get(id, id) ?? { previousId: null, nextId: null }
  }
}
