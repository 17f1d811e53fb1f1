/** Applies acknowledgements in SQLite, with the report of the device. */
import type { Acknowledgement, Outcome } from '../../../broker/contract/store.ts'
import { withLateReport, withReport } from '../../../broker/engine/report.ts'
import { ACK_TRANSITIONS, type Status } from '../../../broker/vocabulary/status.ts'
import type { FinishDeadlines } from './finish-deadlines.ts'
import type { Moves } from './moves.ts'
import type { PendingMessages } from './pending-messages.ts'
import { Reports } from './reports.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly finishDeadlines: FinishDeadlines
  readonly moves: Moves
}

/** Describes the effect of an acknowledgement. */
interface Applied {
  readonly isChanged: boolean
  /** Status of the message afterwards. */
  readonly status: Status
}

export class Acknowledgements {
  readonly #parts: Parts
  readonly #reports: Reports

  constructor(parts: Parts) {
    this.#parts = parts
    this.#reports = new Reports(parts.pending.writer)
  }

  /** Applies an acknowledgement; see `MessageStore.acknowledge`. */
  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null> {
    const { pending, finishDeadlines } = this.#parts
    const { deviceId, messageId } = acknowledgement
    const nowMs = pending.clock.wallMs()
    const settles = pending.queues.beginSettling(deviceId, messageId)
    const finishes = this.#beginFinish(acknowledgement, settles, nowMs)
    const acknowledged = pending.writer
      .write(() => this.#apply(acknowledgement, finishes, nowMs))
      .then(
        (applied) => this.#applied(acknowledgement, applied, settles, finishes),
        (error: unknown) => {
          if (settles) pending.settled(deviceId, messageId)
          if (finishes) finishDeadlines.notBegun(deviceId, messageId)
          throw error
        },
      )
    // The event precedes the sync, so that the device receives its next message during the sync.
    if (settles) pending.report({ is: 'removed', deviceId, messageId })
    return acknowledged
  }

  /** Returns whether a finish deadline may begin. Memory has the terms of pending messages only. */
  #beginFinish({ deviceId, messageId, status }: Acknowledgement, settles: boolean, nowMs: number): boolean {
    if (status !== 'DELIVERED') return false
    const { pending, finishDeadlines } = this.#parts
    const finishSeconds = pending.terms.get(messageId)?.finishSeconds ?? null
    if (settles && finishSeconds === null) return false
    finishDeadlines.begin(deviceId, messageId, settles ? finishSeconds : null, nowMs)
    return true
  }

  /** Changes the message in the running transaction. Returns null if the device has no such message. */
  #apply(
    { deviceId, messageId, status, by, report }: Acknowledgement,
    finishes: boolean,
    nowMs: number,
  ): Applied | null {
    const { moves, finishDeadlines } = this.#parts
    const message = moves.find(messageId, nowMs)
    if (message?.deviceId !== deviceId) return null
    if (!moves.make(message, ACK_TRANSITIONS[status], { by, nowMs })) {
      const late = withLateReport(this.#reports.find(messageId), { status, report }, message.status, nowMs)
      this.#reports.put(messageId, late)
      return { isChanged: false, status: message.status }
    }
    if (report !== null) this.#reports.put(messageId, withReport(this.#reports.find(messageId), report))
    if (finishes) finishDeadlines.store(messageId, nowMs)
    else if (status !== 'DELIVERED') finishDeadlines.end(messageId)
    return { isChanged: true, status }
  }

  #applied(
    { deviceId, messageId, status }: Acknowledgement,
    applied: Applied | null,
    settles: boolean,
    finishes: boolean,
  ): Outcome | null {
    const { pending, finishDeadlines } = this.#parts
    const isChanged = applied?.isChanged === true
    const transition = isChanged ? pending.transitioned(messageId, deviceId, ACK_TRANSITIONS[status]) : null
    if (isChanged && settles) pending.forget(deviceId, messageId)
    // A replay returned the message to its queue before the acknowledgement.
    else if (isChanged && pending.queues.has(deviceId, messageId)) pending.remove(deviceId, messageId)
    if (settles) pending.settled(deviceId, messageId)
    if (finishes && isChanged) finishDeadlines.begun(deviceId, messageId)
    else if (finishes) finishDeadlines.notBegun(deviceId, messageId)
    else if (isChanged && status !== 'DELIVERED') finishDeadlines.ended(deviceId, messageId)
    return applied && { status: applied.status, transition }
  }
}
