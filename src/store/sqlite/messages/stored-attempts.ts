/** Reads the latest attempts with pending messages from before the start of this process. */
import type { Database, Statement } from 'better-sqlite3'
import type { AttemptOutcome } from '../../../broker/contract/device-lease.ts'
import { attemptMsOf } from '../../../broker/vocabulary/attempts.ts'
import type { PendingMessages } from './pending-messages.ts'
import { POLLS, type QueuedAttempt } from './queued-attempt.ts'

interface Row {
  readonly polledAtMs: number | null
  readonly replayedAtMs: number
  readonly number: number | null
  readonly atMs: number | null
  readonly transport: string | null
  readonly outcome: AttemptOutcome | null
  readonly counted: number
}

const REPLAYED_AT = `coalesce((SELECT max(at_ms) FROM changes WHERE message_id = m.id AND cause = 'REPLAYED'), 0)`

export class StoredAttempts {
  readonly #pending: PendingMessages
  readonly #durationsMs: readonly number[]
  readonly #latest: Statement<[id: number], Row>
  /**
   * Devices with a message that was delayed or replayed. Another message of such a device may have been dispatched
   * before its oldest message.
   */
  readonly #unordered = new Set<string>()

  /** @param db connection for reads */
  constructor(db: Database, pending: PendingMessages, durationsMs: readonly number[]) {
    this.#pending = pending
    this.#durationsMs = durationsMs
    // The last condition ends the read of a never dispatched message, the usual case, after two look-ups of six.
    this.#latest = db.prepare(
      `SELECT m.polled_at_ms AS polledAtMs, ${REPLAYED_AT} AS replayedAtMs, a.number, a.at_ms AS atMs, a.transport, a.outcome,
         (SELECT count(*) FROM attempts
          WHERE message_id = m.id AND outcome IS NOT 'BUSY' AND at_ms >= ${REPLAYED_AT}) AS counted
       FROM messages m LEFT JOIN attempts a
         ON a.message_id = m.id AND a.number = (SELECT max(number) FROM attempts WHERE message_id = m.id)
       WHERE m.id = ? AND (m.polled_at_ms IS NOT NULL OR EXISTS (SELECT 1 FROM attempts WHERE message_id = m.id))`,
    )
    const deviceOf = db.prepare<[number], string>('SELECT device_id FROM messages WHERE id = ?').pluck()
    for (const id of pending.terms.delayed()) this.#unordered.add(deviceOf.get(id) ?? '')
    const replayed = db
      .prepare<[], string>(
        `SELECT DISTINCT m.device_id FROM changes c CROSS JOIN messages m ON m.id = c.message_id
         WHERE c.cause = 'REPLAYED' AND m.status = 'NOT_DELIVERED'`,
      )
      .pluck()
    for (const deviceId of replayed.iterate()) this.#unordered.add(deviceId)
  }

  /**
   * Returns whether the attempts with all messages of a device must be read. True only at the first call for a device.
   */
  takeUnordered(deviceId: string): boolean {
    return this.#unordered.size > 0 && this.#unordered.delete(deviceId)
  }

  /** Returns the latest attempt with a pending message; null if it was never dispatched. */
  latest(id: number): QueuedAttempt | null {
    const row = this.#pending.writer.read(() => this.#latest.get(id))
    if (!row) return null
    const { polledAtMs, replayedAtMs, number, atMs, outcome, counted } = row
    const transport = row.transport ?? POLLS
    if (number !== null && atMs !== null)
      return this.#toLatest({ id, number, counted, transport, atMs, outcome, isPoll: false, replayedAtMs })
    return this.#toLatest({
      id,
      number: 1,
      counted: 1,
      atMs: polledAtMs as number,
      outcome: null,
      transport,
      isPoll: true,
      replayedAtMs,
    })
  }

  #toLatest(stored: Omit<QueuedAttempt, 'untilMs'>): QueuedAttempt {
    const { clock } = this.#pending
    const { counted, atMs, outcome, replayedAtMs } = stored
    // A stored time in the future is read as now.
    const sinceMs = Math.max(0, clock.wallMs() - atMs)
    const restMs = Math.max(0, attemptMsOf(this.#durationsMs, counted) - sinceMs)
    // An acknowledgement ended an attempt from before the replay, if nothing else did.
    const isOver = outcome === null && atMs < replayedAtMs
    return { ...stored, outcome: isOver ? 'OVER' : outcome, untilMs: clock.monotonicMs() + restMs }
  }
}
