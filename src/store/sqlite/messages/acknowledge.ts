/** Applies acknowledgements in SQLite: one conditional update, with the report of the device. */
import type { Database, Statement } from 'better-sqlite3'
import type { Acknowledgement, Outcome } from '../../../broker/contract/store.ts'
import { ACK_TRANSITIONS, isLate, type Status } from '../../../broker/vocabulary/status.ts'
import type { WriteOp, WriteStatement } from '../database/transactions.ts'
import type { FinishDeadlines } from './finish-deadlines.ts'
import type { PendingMessages } from './pending-messages.ts'
import type { Transitions } from './transitions.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly finishDeadlines: FinishDeadlines
  readonly transitions: Transitions
}

export class Acknowledgements {
  readonly #parts: Parts
  readonly #statusFor: Statement<[id: number, deviceId: string], Status>
  readonly #report: WriteStatement
  readonly #reportLate: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    this.#parts = parts
    const { writer } = parts.pending
    this.#statusFor = db
      .prepare<[number, string], Status>('SELECT status FROM messages WHERE id = ? AND device_id = ?')
      .pluck()
    // Runs after the transition. A later report replaces each part that it has.
    const hasResult = 'excluded.result IS NOT NULL OR excluded.result_dropped'
    this.#report = writer.prepare(
      `INSERT INTO reports (message_id, reason, result, result_dropped) SELECT ?, ?, ?, ? WHERE changes() > 0
       ON CONFLICT (message_id) DO UPDATE SET
         reason = coalesce(excluded.reason, reason),
         result = CASE WHEN ${hasResult} THEN excluded.result ELSE result END,
         result_dropped = CASE WHEN ${hasResult} THEN excluded.result_dropped ELSE result_dropped END`,
    )
    this.#reportLate = writer.prepare(
      `INSERT INTO reports (message_id, late_status, late_at_ms, late_reason)
       SELECT id, ?, ?, ? FROM messages WHERE id = ?
       ON CONFLICT (message_id) DO UPDATE SET late_status = excluded.late_status,
         late_at_ms = excluded.late_at_ms, late_reason = excluded.late_reason
       WHERE excluded.late_status <> 'DELIVERED' OR late_status IS NULL OR late_status = 'DELIVERED'`,
    )
  }

  /** Applies an acknowledgement; see `MessageStore.acknowledge`. */
  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null> {
    const { pending, transitions } = this.#parts
    const { deviceId, messageId, status, by } = acknowledgement
    const atMs = pending.clock.wallMs()
    const polledAtMs = pending.pollTimestamps.at(messageId)
    const op = transitions.acknowledge(status, { id: messageId, deviceId, by, atMs, polledAtMs })
    const settles = pending.queues.beginSettling(deviceId, messageId)
    const batch = [op]
    const finishes = this.#addTo(batch, acknowledgement, settles, atMs)
    const acknowledged = pending.writer.write(batch).then(
      ([changes]) => this.#acknowledged(acknowledgement, changes !== 0, settles, finishes, atMs),
      (error: unknown) => {
        if (settles) pending.settled(deviceId, messageId)
        if (finishes) this.#parts.finishDeadlines.notBegun(deviceId, messageId)
        throw error
      },
    )
    // The event precedes the sync, so that the device receives its next message during the sync.
    if (settles) pending.report({ is: 'removed', deviceId, messageId })
    return acknowledged
  }

  /**
   * Adds the further operations of an acknowledgement. Each does nothing unless the previous operation made a change.
   *
   * @returns true if a finish deadline may begin. Memory has the terms of pending messages only
   */
  #addTo(
    batch: WriteOp[],
    { deviceId, messageId, status, report }: Acknowledgement,
    settles: boolean,
    atMs: number,
  ): boolean {
    const { pending, finishDeadlines } = this.#parts
    if (report && (report.reason !== null || report.result !== null || report.resultDropped))
      batch.push([this.#report, messageId, report.reason, report.result, Number(report.resultDropped)])
    if (status !== 'DELIVERED') {
      finishDeadlines.end(messageId, batch)
      return false
    }
    const finishSeconds = pending.terms.get(messageId)?.finishSeconds ?? null
    if (settles && finishSeconds === null) return false
    finishDeadlines.begin(deviceId, messageId, settles ? finishSeconds : null, atMs, batch)
    return true
  }

  #acknowledged(
    acknowledgement: Acknowledgement,
    applied: boolean,
    settles: boolean,
    finishes: boolean,
    atMs: number,
  ): Outcome | Promise<Outcome | null> {
    const { pending, finishDeadlines } = this.#parts
    const { deviceId, messageId, status } = acknowledgement
    const transition = applied ? pending.transitioned(messageId, deviceId, ACK_TRANSITIONS[status]) : null
    if (applied && settles) pending.forget(deviceId, messageId)
    // A replay returned the message to its queue before the acknowledgement.
    else if (applied && pending.queues.has(deviceId, messageId)) pending.remove(deviceId, messageId)
    if (settles) pending.settled(deviceId, messageId)
    if (finishes && applied) finishDeadlines.begun(deviceId, messageId)
    else if (finishes) finishDeadlines.notBegun(deviceId, messageId)
    else if (applied && status !== 'DELIVERED') finishDeadlines.ended(deviceId, messageId)
    return transition ? { status, transition } : this.#unchanged(acknowledgement, atMs)
  }

  async #unchanged(acknowledgement: Acknowledgement, atMs: number): Promise<Outcome | null> {
    const { writer } = this.#parts.pending
    const { deviceId, messageId, status, report } = acknowledgement
    const current = await writer.readSynced(() => this.#statusFor.get(messageId, deviceId))
    if (current === undefined) return null
    // A final status stays, so the second write needs no condition.
    if (isLate(status, current))
      await writer.write([[this.#reportLate, status, atMs, report?.reason ?? null, messageId]])
    return { status: current, transition: null }
  }
}
