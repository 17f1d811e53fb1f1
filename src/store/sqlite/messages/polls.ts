/** Dispatches by polls in SQLite. The queues are in memory, so a poll of a message usually needs no promise. */

import type { AttemptRules, Head, Taken } from '../../../broker/contract/device-lease.ts'
import type { MaybePromise } from '../../../broker/contract/store.ts'
import { isSameAttempt } from '../../../broker/vocabulary/attempts.ts'
import { toDispatchedMessage } from '../../../broker/vocabulary/message.ts'
import type { Task } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import { type LatestAttempt, POLLS } from './latest-attempt.ts'
import type { Moves } from './moves.ts'
import type { PendingMessages } from './pending-messages.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly moves: Moves
}

export class Polls {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns the message that a poll may return; see `MessageStore.head`. */
  head(deviceId: string): Head | null {
    const { pending, attempts } = this.#parts
    const open = attempts.open(deviceId)
    if (open && attempts.isRunning(open)) return this.#isValid(open) ? this.#headOf(open.id, open) : null
    const id = pending.next(deviceId)
    return id === null ? null : this.#headOf(id, open ?? attempts.latest(deviceId, id))
  }

  #isValid({ id }: LatestAttempt): boolean {
    const { terms, clock } = this.#parts.pending
    return terms.isValid(id, clock.wallMs())
  }

  #headOf(id: number, latest: LatestAttempt | null): Head | null {
    const { pending, attempts } = this.#parts
    const message = pending.message(id)
    if (message === null) return null
    return { message, attempt: latest?.outcome === null ? attempts.toOpenAttempt(latest) : null }
  }

  /** Begins an attempt; see `MessageStore.take`. */
  take(deviceId: string, head: Head, rules: AttemptRules): MaybePromise<Taken | null> {
    const { pending, attempts } = this.#parts
    const { id, guarantee } = head.message
    if (!pending.queues.isPending(deviceId, id) || !pending.terms.isValid(id, pending.clock.wallMs()))
      return null
    const open = attempts.open(deviceId) ?? attempts.latest(deviceId, id)
    if (!isSame(open, head) || (open && attempts.isRunning(open))) return null
    const over = open && attempts.end(deviceId, { messageId: open.id, outcome: 'TIMEOUT' })
    if (guarantee === 'NO') return this.#takeOnce(deviceId, head, rules, over)
    const before = attempts.latest(deviceId, id)
    const attempt = attempts.begin(deviceId, id, before, rules, POLLS, true)
    const state = attempts.state(id, attempt.number, attempt.counted)
    const taken = { message: toDispatchedMessage(head.message, state, attempt.atMs), transition: null }
    if (attempt.isPoll) pending.pollTimestamps.add(id, attempt.atMs)
    if (rules.paced) attempts.keepDispatchTime(deviceId, attempt.atMs)
    if (attempt.isPoll && over === null && !rules.paced) return taken
    const store = (): void => {
      if (!attempt.isPoll) attempts.store(attempt, before)
      if (rules.paced) attempts.storeDispatchTime(deviceId, attempt.atMs)
    }
    return this.#stored(deviceId, over, store).then(
      () => taken,
      (error: unknown) => {
        attempts.unbegin(deviceId, attempt, before)
        pending.report({ is: 'added', deviceId })
        throw error
      },
    )
  }

  /** Stores the end of the previous attempt, and runs a task in the same transaction. */
  async #stored<T>(deviceId: string, over: LatestAttempt | null, task: Task<T>): Promise<T> {
    const { pending, attempts } = this.#parts
    try {
      const result = await pending.writer.write(() => {
        if (over) attempts.storeEnd(over, 'TIMEOUT')
        return task()
      })
      if (over) attempts.ended(over, 'TIMEOUT')
      return result
    } catch (error) {
      if (over) attempts.unend(deviceId, over)
      throw error
    }
  }

  async #takeOnce(
    deviceId: string,
    { message }: Head,
    rules: AttemptRules,
    over: LatestAttempt | null,
  ): Promise<Taken | null> {
    const { pending, attempts, moves } = this.#parts
    const { id } = message
    pending.queues.beginSettling(deviceId, id)
    const atMs = pending.clock.wallMs()
    const dispatched = toDispatchedMessage(message, attempts.state(id, 1, 1), atMs)
    if (rules.paced) attempts.keepDispatchTime(deviceId, atMs)
    try {
      const isTaken = await this.#stored(deviceId, over, () => {
        if (rules.paced) attempts.storeDispatchTime(deviceId, atMs)
        return moves.make(moves.find(id, atMs), 'dispatchedOnce', { by: null, nowMs: atMs }, atMs)
      })
      if (!isTaken) return null
      const transition = pending.transitioned(id, deviceId, 'dispatchedOnce')
      pending.remove(deviceId, id)
      pending.counts.attemptEnded(POLLS, 'HANDED_OVER')
      return { message: dispatched, transition }
    } finally {
      pending.settled(deviceId, id)
    }
  }
}

/** Returns whether the latest attempt of a device is still the attempt that `head` returned. */
function isSame(latest: LatestAttempt | null, { attempt }: Head): boolean {
  if (latest === null || latest.outcome !== null) return attempt === null
  return attempt !== null && latest.id === attempt.messageId && isSameAttempt(latest, attempt)
}
