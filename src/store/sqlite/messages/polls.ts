/** Dispatches by polls in SQLite. The queues are in memory, so a poll of a message usually needs no promise. */

import type { AttemptRules, Head, Taken } from '../../../broker/contract/device-lease.ts'
import type { MaybePromise } from '../../../broker/contract/store.ts'
import { chooseForPoll, chooseForTake, ONLY_ATTEMPT } from '../../../broker/engine/dispatch-choice.ts'
import { toDispatchedMessage } from '../../../broker/vocabulary/message.ts'
import type { Task } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { Moves } from './moves.ts'
import type { PendingMessages } from './pending-messages.ts'
import { POLLS, type QueuedAttempt } from './queued-attempt.ts'

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
    const chosen = chooseForPoll(attempts, deviceId)
    if (chosen === null) return null
    const message = pending.message(chosen.messageId)
    return message && { message, attempt: chosen.open && attempts.toOpenAttempt(chosen.open) }
  }

  /** Begins an attempt; see `MessageStore.take`. */
  take(deviceId: string, head: Head, rules: AttemptRules): MaybePromise<Taken | null> {
    const { pending, attempts } = this.#parts
    const { id, guarantee } = head.message
    const chosen = chooseForTake(attempts, deviceId, head)
    if (chosen === null) return null
    const over = chosen.over && attempts.end(deviceId, { messageId: chosen.over.id, outcome: 'TIMEOUT' })
    if (guarantee === 'NO') return this.#takeOnce(deviceId, head, rules, over)
    const before = attempts.latest(deviceId, id)
    const attempt = attempts.begin(deviceId, id, before, rules, POLLS, true)
    const state = attempts.state(id, attempt)
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
  async #stored<T>(deviceId: string, over: QueuedAttempt | null, task: Task<T>): Promise<T> {
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
    over: QueuedAttempt | null,
  ): Promise<Taken | null> {
    const { pending, attempts, moves } = this.#parts
    const { id } = message
    pending.queues.beginSettling(deviceId, id)
    const atMs = pending.clock.wallMs()
    const dispatched = toDispatchedMessage(message, attempts.state(id, ONLY_ATTEMPT), atMs)
    try {
      const isTaken = await this.#stored(deviceId, over, () => {
        const isChanged = moves.make(moves.find(id, atMs), 'dispatchedOnce', { by: null, nowMs: atMs }, atMs)
        if (isChanged && rules.paced) {
          attempts.keepDispatchTime(deviceId, atMs)
          attempts.storeDispatchTime(deviceId, atMs)
        }
        return isChanged
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
