/** Dispatches by polls in SQLite. The queues are in memory, so a poll of a message most often needs no promise. */
import { isSameAttempt } from '../../broker/attempts.ts'
import type { AttemptRules, Head, Taken } from '../../broker/device-lease.ts'
import { toDispatchedMessage } from '../../broker/message.ts'
import type { Soon } from '../../broker/store.ts'
import type { Attempts } from './attempts.ts'
import { type LatestAttempt, POLLS } from './latest-attempt.ts'
import type { PendingMessages } from './pending-messages.ts'
import type { WriteOp } from './transactions.ts'
import type { Transitions } from './transitions.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly transitions: Transitions
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
    if (open && this.#isValid(open)) return this.#headOf(open.id, open)
    if (open && attempts.isRunning(open)) return null
    const id = pending.next(deviceId)
    return id === null ? null : this.#headOf(id, attempts.latest(deviceId, id))
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
  take(deviceId: string, head: Head, rules: AttemptRules): Soon<Taken | null> {
    const { pending, attempts } = this.#parts
    const { id, guarantee } = head.message
    if (!pending.queues.isPending(deviceId, id) || !pending.terms.isValid(id, pending.clock.wallMs()))
      return null
    if (guarantee === 'NO') return this.#takeOnce(deviceId, head, rules)
    const latest = attempts.latest(deviceId, id)
    if (!isSame(latest, head)) return null
    if (latest && attempts.isRunning(latest)) return null
    const batch: WriteOp[] = []
    const over = latest && attempts.end(deviceId, { messageId: id, outcome: 'TIMEOUT' }, batch)
    const before = over ? pending.queues.latest(deviceId, id) : latest
    const attempt = attempts.begin(deviceId, id, before, rules, POLLS, true)
    const state = attempts.state(id, attempt.number, attempt.counted)
    const taken = { message: toDispatchedMessage(head.message, state, attempt.atMs), transition: null }
    if (attempt.isPoll) pending.pollTimestamps.add(id, attempt.atMs)
    else batch.push(attempts.record(attempt, before))
    if (rules.paced) batch.push(attempts.recordDispatchTime(deviceId, attempt.atMs))
    if (batch.length === 0) return taken
    const done = (): void => {
      if (over) attempts.ended(over, 'TIMEOUT')
    }
    return this.#stored(deviceId, batch, taken, done, () => {
      attempts.unbegin(deviceId, attempt, before)
      if (over) attempts.unend(deviceId, over)
    })
  }

  async #stored(
    deviceId: string,
    batch: WriteOp[],
    taken: Taken,
    done: () => void,
    undo: () => void,
  ): Promise<Taken> {
    const { pending } = this.#parts
    try {
      await pending.writer.write(batch)
    } catch (error) {
      undo()
      pending.report({ is: 'added', deviceId })
      throw error
    }
    done()
    return taken
  }

  async #takeOnce(deviceId: string, { message }: Head, rules: AttemptRules): Promise<Taken | null> {
    const { pending, attempts, transitions } = this.#parts
    const { id } = message
    if (!pending.queues.beginSettling(deviceId, id)) return null
    const atMs = pending.clock.wallMs()
    const dispatched = toDispatchedMessage(message, attempts.state(id, 1, 1), atMs)
    const batch = [transitions.send(id, atMs)]
    if (rules.paced) batch.push(attempts.recordDispatchTime(deviceId, atMs))
    try {
      const [changes] = await pending.writer.write(batch)
      if (changes === 0) return null
      const transition = pending.transitioned(id, deviceId, 'dispatchedOnce')
      pending.remove(deviceId, id)
      pending.counts.attemptEnded(POLLS, 'HANDED_OVER')
      return { message: dispatched, transition }
    } finally {
      pending.settled(deviceId, id)
    }
  }
}

/** Returns whether the latest attempt with a message is still the one that `head` returned. */
function isSame(latest: LatestAttempt | null, { attempt }: Head): boolean {
  if (latest === null || latest.outcome !== null) return attempt === null
  return attempt !== null && isSameAttempt(latest, attempt)
}
