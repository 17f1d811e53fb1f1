/** Grants leases and claims in SQLite. Only this process holds leases, so a claim reads the queues in memory. */

import type {
  AttemptRules,
  Claim,
  DeviceLease,
  EndedAttempt,
  LineState,
} from '../../../broker/contract/device-lease.ts'
import type { MaybePromise } from '../../../broker/contract/store.ts'
import { chooseForClaim, ONLY_ATTEMPT } from '../../../broker/engine/dispatch-choice.ts'
import { isSameAttempt } from '../../../broker/vocabulary/attempts.ts'
import { type PendingMessage, toDispatchedMessage } from '../../../broker/vocabulary/message.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { FinishDeadlines } from './finish-deadlines.ts'
import type { Moves } from './moves.ts'
import type { PendingMessages } from './pending-messages.ts'
import type { QueuedAttempt } from './queued-attempt.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly finishDeadlines: FinishDeadlines
  readonly moves: Moves
}

/** One call of a lease's `claim`. */
interface ClaimRequest {
  readonly deviceId: string
  readonly transport: string
  readonly rules: AttemptRules
  /** Returns whether the line still has the lease. */
  readonly isHeld: () => boolean
  /** The attempt that the claim ended in memory, before its end, and its outcome. */
  readonly over: QueuedAttempt | null
  readonly outcome: EndedAttempt['outcome']
}

const EMPTY: Claim = { is: 'empty', dueInMs: null }
const LOST: Claim = { is: 'lost' }

/** Holds the latest lease of each device and begins the attempts of leases. */
export class Dispatches {
  readonly #parts: Parts
  readonly #leases = new Map<string, DeviceLease>()
  readonly #insertOnlyAttempt: WriteStatement

  constructor(parts: Parts) {
    this.#parts = parts
    this.#insertOnlyAttempt = parts.pending.writer.prepare(
      'INSERT INTO attempts (message_id, at_ms, number, transport) VALUES (?, ?, 1, ?)',
    )
  }

  attach(deviceId: string, transport: string): DeviceLease {
    const isHeld = (): boolean => this.#leases.get(deviceId) === lease
    const lease: DeviceLease = {
      state: this.line(deviceId),
      claim: (ended, rules) => this.#claim({ deviceId, transport, rules, isHeld }, ended),
      release: () => {
        if (isHeld()) this.#leases.delete(deviceId)
      },
    }
    this.#leases.set(deviceId, lease)
    return lease
  }

  line(deviceId: string): LineState {
    const { attempts, finishDeadlines } = this.#parts
    const open = attempts.open(deviceId)
    return {
      sinceDispatchMs: attempts.sinceDispatchMs(deviceId),
      attempt: open && attempts.toOpenAttempt(open),
      unfinished: finishDeadlines.unfinished(deviceId),
    }
  }

  /** Ends an attempt; see `MessageStore.endAttempt`. */
  async endAttempt(deviceId: string, ended: EndedAttempt): Promise<boolean> {
    const over = this.#end(deviceId, ended)
    if (over === null) return false
    await this.#storeEnd(deviceId, over, ended.outcome)
    return true
  }

  #claim(claim: Omit<ClaimRequest, 'over' | 'outcome'>, ended: EndedAttempt | null): MaybePromise<Claim> {
    const { deviceId, transport, rules, isHeld } = claim
    if (!isHeld()) return LOST
    const { attempts } = this.#parts
    const over = ended && this.#end(deviceId, ended)
    try {
      const outcome = ended?.outcome ?? 'TIMEOUT'
      return this.#take({ deviceId, transport, rules, isHeld, over, outcome })
    } catch (error) {
      if (over) attempts.unend(deviceId, over)
      throw error
    }
  }

  /** Ends an attempt in memory, unless something else ended it, or a poll began another attempt meanwhile. */
  #end(deviceId: string, ended: EndedAttempt): QueuedAttempt | null {
    const { pending, attempts } = this.#parts
    if (!pending.queues.isPending(deviceId, ended.messageId)) return null
    const latest = attempts.latest(deviceId, ended.messageId)
    return latest && isSameAttempt(latest, ended) ? attempts.end(deviceId, ended) : null
  }

  #take(request: ClaimRequest): MaybePromise<Claim> {
    const { deviceId } = request
    const { pending, attempts } = this.#parts
    const chosen = chooseForClaim(attempts, deviceId)
    if (chosen?.inFlight)
      return this.#took(request, { is: 'inFlight', attempt: attempts.toOpenAttempt(chosen.inFlight) })
    const message = chosen && pending.message(chosen.messageId)
    if (chosen === null || message === null) return this.#took(request, this.#empty(deviceId))
    return message.guarantee === 'NO'
      ? this.#claimOnce(request, message)
      : this.#claimRepeatedly(request, message, chosen.latest)
  }

  #empty(deviceId: string): Claim {
    const { queues, clock } = this.#parts.pending
    const dueInMs = queues.nextDueInMs(deviceId, clock)
    return dueInMs === null ? EMPTY : { is: 'empty', dueInMs }
  }

  /** Returns the answer of a claim that took nothing. The end of the previous attempt is durable before. */
  #took({ deviceId, over, outcome }: ClaimRequest, claim: Claim): MaybePromise<Claim> {
    return over === null ? claim : this.#storeEnd(deviceId, over, outcome).then(() => claim)
  }

  async #storeEnd(deviceId: string, over: QueuedAttempt, outcome: EndedAttempt['outcome']): Promise<void> {
    const { pending, attempts } = this.#parts
    try {
      await pending.writer.write(() => attempts.storeEnd(over, outcome))
    } catch (error) {
      attempts.unend(deviceId, over)
      throw error
    }
    attempts.ended(over, outcome)
  }

  #claimRepeatedly(request: ClaimRequest, message: PendingMessage, latest: QueuedAttempt | null): Claim {
    const { deviceId, transport, rules, over, outcome } = request
    const { pending, attempts } = this.#parts
    const attempt = attempts.begin(deviceId, message.id, latest, rules, transport, false)
    if (rules.paced) attempts.keepDispatchTime(deviceId, attempt.atMs)
    const state = attempts.state(message.id, attempt)
    const recorded = pending.writer
      .write(() => {
        if (over) attempts.storeEnd(over, outcome)
        attempts.store(attempt, latest)
        if (rules.paced) attempts.storeDispatchTime(deviceId, attempt.atMs)
      })
      .then(over ? () => attempts.ended(over, outcome) : undefined, (error: unknown) => {
        attempts.unbegin(deviceId, attempt, latest)
        if (over) attempts.unend(deviceId, over)
        throw error
      })
    const dispatched = toDispatchedMessage(message, state, attempt.atMs)
    return { is: 'message', message: dispatched, recorded, transition: null }
  }

  async #claimOnce(request: ClaimRequest, message: PendingMessage): Promise<Claim> {
    const { deviceId, transport, rules, isHeld, over, outcome } = request
    const { pending, attempts, moves } = this.#parts
    const { id } = message
    const atMs = pending.clock.wallMs()
    const dispatched = toDispatchedMessage(message, attempts.state(id, ONLY_ATTEMPT), atMs)
    pending.queues.beginSettling(deviceId, id)
    let isTaken: boolean
    try {
      isTaken = await pending.writer.write(() => {
        if (over) attempts.storeEnd(over, outcome)
        // Another line has attached without the time of this dispatch, so it has the message.
        if (!isHeld()) return false
        const isChanged = moves.make(moves.find(id, atMs), 'dispatchedOnce', { by: null, nowMs: atMs })
        if (isChanged) this.#insertOnlyAttempt.run(id, atMs, transport)
        if (isChanged && rules.paced) {
          attempts.keepDispatchTime(deviceId, atMs)
          attempts.storeDispatchTime(deviceId, atMs)
        }
        return isChanged
      })
    } catch (error) {
      if (over) attempts.unend(deviceId, over)
      throw error
    } finally {
      pending.queues.endSettling(id)
    }
    if (over) attempts.ended(over, outcome)
    if (!isTaken) {
      // The message was superseded meanwhile, or the line of another lease may take it.
      if (!isHeld()) pending.settled(deviceId, id)
      return this.#claim(request, null)
    }
    const transition = pending.transitioned(id, deviceId, 'dispatchedOnce')
    pending.remove(deviceId, id)
    pending.counts.attemptEnded(transport, 'HANDED_OVER')
    return { is: 'message', message: dispatched, recorded: null, transition }
  }
}
