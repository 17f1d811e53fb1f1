/** Keeps until when each device wants no dispatch, in memory and on disk. */
import type { Database } from 'better-sqlite3'
import type { Attempts } from './attempts.ts'
import type { PendingMessages } from './pending-messages.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'

export class BusyPauses {
  readonly #pending: PendingMessages
  readonly #attempts: Attempts
  /** Ends of the pauses in milliseconds since 1970, by device. */
  readonly #untilMs = new Map<string, number>()
  readonly #set: WriteStatement
  readonly #clear: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, pending: PendingMessages, attempts: Attempts) {
    this.#pending = pending
    this.#attempts = attempts
    this.#set = pending.writer.prepare(
      `INSERT INTO devices (device_id, busy_until_ms) VALUES (?, ?)
       ON CONFLICT (device_id) DO UPDATE SET busy_until_ms = excluded.busy_until_ms`,
    )
    this.#clear = pending.writer.prepare('UPDATE devices SET busy_until_ms = NULL WHERE device_id = ?')
    const stored = db.prepare<[nowMs: number], [string, number]>(
      'SELECT device_id, busy_until_ms FROM devices WHERE busy_until_ms > ?',
    )
    for (const [deviceId, untilMs] of stored.raw().iterate(pending.clock.wallMs()))
      this.#untilMs.set(deviceId, untilMs)
  }

  /** Begins or ends a pause; see `MessageStore.setBusy`. */
  async set(deviceId: string, forMs: number): Promise<void> {
    const { clock, writer } = this.#pending
    const untilMs = clock.wallMs() + forMs
    const batch: WriteOp[] = forMs > 0 ? [[this.#set, deviceId, untilMs]] : [[this.#clear, deviceId]]
    const open = forMs > 0 ? this.#attempts.open(deviceId) : null
    const over = open && this.#attempts.end(deviceId, { messageId: open.id, outcome: 'BUSY' }, batch)
    try {
      await writer.write(batch)
    } catch (error) {
      if (over) this.#attempts.unend(deviceId, over)
      throw error
    }
    if (forMs > 0) this.#untilMs.set(deviceId, untilMs)
    else this.#untilMs.delete(deviceId)
    this.#pending.report({ is: 'busy', deviceId, forMs })
    if (over) this.#attempts.ended(over, 'BUSY')
  }

  /** Returns the rest of each pause in milliseconds, by device. */
  all(): Map<string, number> {
    const nowMs = this.#pending.clock.wallMs()
    const found = new Map<string, number>()
    for (const [deviceId, untilMs] of this.#untilMs) {
      if (untilMs > nowMs) found.set(deviceId, untilMs - nowMs)
      else this.#untilMs.delete(deviceId)
    }
    return found
  }
}
