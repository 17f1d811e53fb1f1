/** Stores the pauses that devices asked for, in memory and on disk. */
import type { Database } from 'better-sqlite3'
import { type End, endAt, restMs } from '../../end.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { PendingMessages } from './pending-messages.ts'

export class BusyPauses {
  readonly #pending: PendingMessages
  readonly #attempts: Attempts
  readonly #ends = new Map<string, End>()
  readonly #set: WriteStatement
  readonly #clear: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, pending: PendingMessages, attempts: Attempts) {
    this.#pending = pending
    this.#attempts = attempts
    this.#set = pending.writer.prepare(
      `INSERT INTO devices (device_id, busy_until_ms, busy_ms) VALUES (?, ?, ?)
       ON CONFLICT (device_id) DO UPDATE SET busy_until_ms = excluded.busy_until_ms, busy_ms = excluded.busy_ms`,
    )
    this.#clear = pending.writer.prepare(
      'UPDATE devices SET busy_until_ms = NULL, busy_ms = NULL WHERE device_id = ?',
    )
    const stored = db.prepare<[nowMs: number], [string, number, number]>(
      'SELECT device_id, busy_until_ms, busy_ms FROM devices WHERE busy_until_ms > ?',
    )
    const { clock } = pending
    for (const [deviceId, untilMs, forMs] of stored.raw().iterate(clock.wallMs()))
      this.#ends.set(deviceId, endAt(untilMs, forMs, clock))
  }

  /** Begins or ends a pause; see `MessageStore.setBusy`. */
  async set(deviceId: string, forMs: number): Promise<void> {
    const { clock, writer } = this.#pending
    const untilMs = clock.wallMs() + forMs
    const open = forMs > 0 ? this.#attempts.open(deviceId) : null
    const over = open && this.#attempts.end(deviceId, { messageId: open.id, outcome: 'BUSY' })
    try {
      await writer.write(() => {
        if (forMs > 0) this.#set.run(deviceId, untilMs, forMs)
        else this.#clear.run(deviceId)
        if (over) this.#attempts.storeEnd(over, 'BUSY')
      })
    } catch (error) {
      if (over) this.#attempts.unend(deviceId, over)
      throw error
    }
    if (forMs > 0) this.#ends.set(deviceId, endAt(untilMs, forMs, clock))
    else this.#ends.delete(deviceId)
    this.#pending.report({ is: 'busy', deviceId, forMs })
    if (over) this.#attempts.ended(over, 'BUSY')
  }

  /** Returns the remaining time of each pause in milliseconds, by device. */
  all(): Map<string, number> {
    const found = new Map<string, number>()
    for (const [deviceId, end] of this.#ends) {
      const forMs = restMs(end, this.#pending.clock)
      if (forMs > 0) found.set(deviceId, forMs)
      else this.#ends.delete(deviceId)
    }
    return found
  }
}
