/** Holds the queue, the lease and the running attempt of one device of the memory driver. Knows no clock. */

import type { NewMessage, PendingMessage } from '../../broker/message.ts'
import type { Status } from '../../broker/status.ts'
import type { AttemptOutcome, EndedAttempt } from '../../broker/store.ts'

/** One dispatch of a message over a lease. */
export interface MemoryAttempt {
  readonly transport: string
  /** Null while the attempt runs, and when no holder of the lease reported its end. */
  outcome: AttemptOutcome | null
}

/** A message of any status. */
export interface StoredMessage extends PendingMessage {
  readonly content: NewMessage
  readonly attempts: MemoryAttempt[]
  status: Status
  readonly createdAtMs: number
  changedAtMs: number
  /** True when a poll returned the message. */
  polled: boolean
}

interface RunningAttempt {
  readonly messageId: number
  readonly attempt: MemoryAttempt
  /** End of the attempt on the monotonic clock. */
  readonly untilMs: number
}

/** The state of one device. */
export class MemoryLine {
  /** Pending messages by id, the oldest first. */
  readonly queue = new Map<number, StoredMessage>()
  /** Time of the latest paced dispatch on the wall clock. */
  dispatchedAtMs: number | null = null
  /** Number of the newest lease. A lease with a smaller number is lost. */
  #fence = 0
  /** Transport of the newest lease. */
  #transport = ''
  #running: RunningAttempt | null = null

  /** The oldest pending message. */
  get oldest(): StoredMessage | null {
    const [first] = this.queue.values()
    return first ?? null
  }

  /** Returns the number of a new lease. The earlier lease is lost. */
  beginLease(transport: string): number {
    this.#transport = transport
    return ++this.#fence
  }

  /** Makes the present lease lost. */
  endLease(): void {
    this.#fence++
  }

  isHeldBy(fence: number): boolean {
    return this.#fence === fence
  }

  /** Removes a message and ends its attempt. Returns false when the message was not pending. */
  remove(messageId: number): boolean {
    if (this.#running?.messageId === messageId) this.#running = null
    return this.queue.delete(messageId)
  }

  /** Starts an attempt over the newest lease. */
  startAttempt(message: StoredMessage, untilMs: number): void {
    const attempt: MemoryAttempt = { transport: this.#transport, outcome: null }
    message.attempts.push(attempt)
    this.#running = { messageId: message.id, attempt, untilMs }
  }

  /** Ends the attempt if it is the running one. */
  endAttempt({ messageId, outcome }: EndedAttempt): void {
    if (this.#running?.messageId !== messageId) return
    this.#running.attempt.outcome = outcome
    this.#running = null
  }

  /** Returns the id of the message whose attempt runs; null when no attempt runs. */
  inFlightId(nowMs: number): number | null {
    return this.#running && this.restMs(nowMs) > 0 ? this.#running.messageId : null
  }

  /** Returns the rest of the running attempt's duration; 0 when no attempt runs. */
  restMs(nowMs: number): number {
    return this.#running ? Math.max(0, this.#running.untilMs - nowMs) : 0
  }
}
