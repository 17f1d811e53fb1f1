/**
 * Fills the on-disk indexes of messages by device and of pending messages. Writing them with each message would touch
 * another page per message, so they follow later, in sorted steps, while the writer is idle. A reader finds newer
 * messages in the table of messages.
 */
import type { Database } from 'better-sqlite3'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import { segmentOfId } from '../schema/device-segments.ts'

/** Number of messages per step. Fewer new messages wait for a later step. */
const STEP_MESSAGES = 1_500
const PERIOD_MS = 250

/** Size of a message in UTF-8, as SQL. */
export const MESSAGE_BYTES = '(octet_length(command) + octet_length(data))'

export class MessageIndex {
  /** Id after the newest message in the index. */
  end: number
  readonly #writer: Writer
  readonly #newest: () => number
  readonly #indexByDevice: WriteStatement
  readonly #recordNewest: WriteStatement
  readonly #indexPending: WriteStatement
  readonly #recordProgress: WriteStatement
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | null = null
  #closing = false

  /**
   * @param db connection for reads
   * @param newest returns the id of the newest durable message
   */
  constructor(db: Database, writer: Writer, newest: () => number) {
    this.#writer = writer
    this.#newest = newest
    this.end = lastIndexedId(db) + 1
    this.#indexByDevice = writer.prepare(
      `INSERT INTO device_messages
       SELECT ${segmentOfId('id')}, device_id, id FROM messages WHERE id >= ? AND id < ? ORDER BY 1, 2, 3`,
    )
    this.#recordNewest = writer.prepare(
      `INSERT OR REPLACE INTO newest_messages
       SELECT device_id, max(id) FROM messages WHERE id >= ? AND id < ? GROUP BY device_id`,
    )
    this.#indexPending = writer.prepare(
      `INSERT INTO waiting
       SELECT id, device_id, command, ${MESSAGE_BYTES} FROM messages WHERE id >= ? AND id < ? AND status = 'NOT_DELIVERED' ORDER BY id`,
    )
    this.#recordProgress = writer.prepare(`UPDATE progress SET message_id = ? WHERE name = 'message_index'`)
    this.#timer = setInterval(() => {
      this.#running ??= this.#advance().finally(() => {
        this.#running = null
      })
    }, PERIOD_MS).unref()
  }

  /** Ends the periodic steps. Resolves when the current step is over. */
  async close(): Promise<void> {
    this.#closing = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #advance(): Promise<void> {
    try {
      while (!this.#closing && this.#writer.isIdle && this.#newest() - this.end >= STEP_MESSAGES)
        await this.#step()
    } catch {
      // The disk is full or has failed, and writes of messages report that. The next period tries this step again.
    }
  }

  async #step(): Promise<void> {
    const end = this.end + STEP_MESSAGES
    await this.#writer.write(() => {
      this.#indexByDevice.run(this.end, end)
      this.#recordNewest.run(this.end, end)
      this.#indexPending.run(this.end, end)
      this.#recordProgress.run(end - 1)
    })
    this.end = end
  }
}

/** Returns the id of the newest message in the index; 0 for an empty index. */
export function lastIndexedId(db: Database): number {
  return (
    db.prepare<[], number>(`SELECT message_id FROM progress WHERE name = 'message_index'`).pluck().get() ?? 0
  )
}
