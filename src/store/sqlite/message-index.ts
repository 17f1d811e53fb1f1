/**
 * Which messages each device has, and which of them wait, on disk. An index that is written with each message would
 * touch another page for each of them; these are filled behind them, in sorted steps, while nobody waits for the disk.
 * Newer messages than they have are to be looked for among the messages themselves.
 */
import type { Database } from 'better-sqlite3'
import type { WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

/** Messages of one step, and least number of them for which one is made. */
const STEP = 1_500
const PERIOD_MS = 250

export class MessageIndex {
  /** Messages with a smaller id are in it. */
  end: number
  readonly #writer: Writer
  readonly #newest: () => number
  readonly #ofDevices: WriteStatement
  readonly #waiting: WriteStatement
  readonly #note: WriteStatement
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | null = null
  #closing = false

  /**
   * @param db to read on
   * @param newest the id of the newest message on disk
   */
  constructor(db: Database, writer: Writer, newest: () => number) {
    this.#writer = writer
    this.#newest = newest
    this.end = indexed(db) + 1
    this.#ofDevices = writer.prepare(
      `INSERT INTO device_messages
       SELECT device_id, id FROM messages WHERE id >= ? AND id < ? ORDER BY device_id, id`,
    )
    this.#waiting = writer.prepare(
      `INSERT INTO waiting
       SELECT id, device_id, command FROM messages WHERE id >= ? AND id < ? AND status = 'NOT_DELIVERED' ORDER BY id`,
    )
    this.#note = writer.prepare(`UPDATE progress SET message_id = ? WHERE name = 'message_index'`)
    this.#timer = setInterval(() => {
      this.#running ??= this.#advance().finally(() => {
        this.#running = null
      })
    }, PERIOD_MS).unref()
  }

  /** @returns when the step that is under way has ended */
  async close(): Promise<void> {
    this.#closing = true
    clearInterval(this.#timer)
    await this.#running
  }

  async #advance(): Promise<void> {
    try {
      while (!this.#closing && this.#writer.isIdle && this.#newest() - this.end >= STEP) await this.#step()
    } catch {
      // The disk is full or gone, and who writes a message is told; the next try is at the next period.
    }
  }

  async #step(): Promise<void> {
    const end = this.end + STEP
    await this.#writer.write([
      [this.#ofDevices, this.end, end],
      [this.#waiting, this.end, end],
      [this.#note, end - 1],
    ])
    this.end = end
  }
}

/** The id of the newest message that is in the index; 0: there is none. */
export function indexed(db: Database): number {
  return (
    db.prepare<[], number>(`SELECT message_id FROM progress WHERE name = 'message_index'`).pluck().get() ?? 0
  )
}
