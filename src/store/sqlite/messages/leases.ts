/** Grants leases and claims in SQLite. Only this process holds leases, so a claim reads the queues in memory. */

import type {
  AttemptRules,
  Claim,
  DeviceLease,
  EndedAttempt,
  LineState,
} from '../../../broker/contract/device-lease.ts'
import type { MaybePromise } from '../../../broker/contract/store.ts'
import { isSameAttempt } from '../../../broker/vocabulary/attempts.ts'
import { type PendingMessage, toDispatchedMessage } from '../../../broker/vocabulary/message.ts'
import type { WriteOp, WriteStatement } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { FinishDeadlines } from './finish-deadlines.ts'
import type { LatestAttempt } from './latest-attempt.ts'
import type { PendingMessages } from './pending-messages.ts'
import type { Transitions } from './transitions.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly finishDeadlines: FinishDeadlines
  readonly transitions: Transitions
}

/** One call of a lease's `claim`. */
interface ClaimRequest {
  readonly deviceId: string
  readonly transport: string
  readonly rules: AttemptRules
  /** The attempt that the claim ended in memory, before its end, and its outcome. */
  readonly over: LatestAttempt | null
  readonly outcome: EndedAttempt['outcome']
  readonly batch: WriteOp[]
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
    // Runs after the transition of a NO message, and inserts nothing if the transition changed nothing.
    this.#insertOnlyAttempt = parts.pending.writer.prepare(
      `INSERT INTO attempts (message_id, at_ms, number, transport) SELECT ?, ?, 1, ? WHERE changes() > 0`,
    )
  }

  attach(deviceId: string, transport: string): DeviceLease {
    const isHeld = (): boolean => this.#leases.get(deviceId) === lease
    const lease: DeviceLease = {
      state: this.line(deviceId),
      claim: (ended, rules) => (isHeld() ? this.#claim(deviceId, transport, ended, rules) : LOST),
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
    const batch: WriteOp[] = []
    const over = this.#end(deviceId, ended, batch)
    if (over === null) return false
    await this.#write(deviceId, over, ended.outcome, batch)
    return true
  }

  #claim(
    deviceId: string,
    transport: string,
    ended: EndedAttempt | null,
    rules: AttemptRules,
  ): MaybePromise<Claim> {
    const { attempts } = this.#parts
    const batch: WriteOp[] = []
    const over = ended && this.#end(deviceId, ended, batch)
    try {
      const outcome = ended?.outcome ?? 'TIMEOUT'
      return this.#take({ deviceId, transport, rules, over, outcome, batch })
    } catch (error) {
      if (over) attempts.unend(deviceId, over)
      throw error
    }
  }

  /** Ends an attempt in memory, unless something else ended it, or a poll began another attempt meanwhile. */
  #end(deviceId: string, ended: EndedAttempt, batch: WriteOp[]): LatestAttempt | null {
    const { pending, attempts } = this.#parts
    if (!pending.queues.isPending(deviceId, ended.messageId)) return null
    const latest = attempts.latest(deviceId, ended.messageId)
    return latest && isSameAttempt(latest, ended) ? attempts.end(deviceId, ended, batch) : null
  }

  #take(request: ClaimRequest): MaybePromise<Claim> {
    const { deviceId } = request
    const { pending, attempts } = this.#parts
    const open = attempts.open(deviceId)
    if (open) return this.#took(request, { is: 'inFlight', attempt: attempts.toOpenAttempt(open) })
    const id = pending.next(deviceId)
    if (id === null) return this.#took(request, this.#empty(deviceId))
    const latest = attempts.latest(deviceId, id)
    if (latest?.outcome === null)
      return this.#took(request, { is: 'inFlight', attempt: attempts.toOpenAttempt(latest) })
    const message = pending.message(id)
    if (message === null) return this.#took(request, this.#empty(deviceId))
    return message.guarantee === 'NO'
      ? this.#claimOnce(request, message)
      : this.#claimRepeatedly(request, message, latest)
  }

  #empty(deviceId: string): Claim {
    const { queues, clock } = this.#parts.pending
    const dueInMs = queues.nextDueInMs(deviceId, clock)
    return dueInMs === null ? EMPTY : { is: 'empty', dueInMs }
  }

  /** Returns the answer of a claim that took nothing, when the end of the previous attempt is durable. */
  async #stored({ deviceId, over, outcome, batch }: ClaimRequest, claim: Claim): Promise<Claim> {
    await this.#write(deviceId, over, outcome, batch)
    return claim
  }

  async #write(
    deviceId: string,
    over: LatestAttempt | null,
    outcome: EndedAttempt['outcome'],
    batch: readonly WriteOp[],
  ): Promise<void> {
    const { pending, attempts } = this.#parts
    try {
      await pending.writer.write(batch)
    } catch (error) {
      if (over) attempts.unend(deviceId, over)
      throw error
    }
    if (over) attempts.ended(over, outcome)
  }

  #took(request: ClaimRequest, claim: Claim): MaybePromise<Claim> {
    return request.batch.length === 0 ? claim : this.#stored(request, claim)
  }

  #claimRepeatedly(request: ClaimRequest, message: PendingMessage, latest: LatestAttempt | null): Claim {
    const { deviceId, transport, rules, over, outcome, batch } = request
    const { pending, attempts } = this.#parts
    const attempt = attempts.begin(deviceId, message.id, latest, rules, transport, false)
    batch.push(attempts.record(attempt, latest))
    if (rules.paced) batch.push(attempts.recordDispatchTime(deviceId, attempt.atMs))
    const state = attempts.state(message.id, attempt.number, attempt.counted)
    const recorded = pending.writer
      .write(batch)
      .then(over ? () => attempts.ended(over, outcome) : undefined, (error: unknown) => {
        attempts.unbegin(deviceId, attempt, latest)
        if (over) attempts.unend(deviceId, over)
        throw error
      })
    const dispatched = toDispatchedMessage(message, state, attempt.atMs)
    return { is: 'message', message: dispatched, recorded, transition: null }
  }

  async #claimOnce(request: ClaimRequest, message: PendingMessage): Promise<Claim> {
    const { deviceId, transport, rules, over, outcome, batch } = request
    const { pending, attempts, transitions } = this.#parts
    const { id } = message
    const atMs = pending.clock.wallMs()
    const dispatched = toDispatchedMessage(message, attempts.state(id, 1, 1), atMs)
    pending.queues.beginSettling(deviceId, id)
    const at = batch.push(transitions.send(id, atMs, null)) - 1
    batch.push([this.#insertOnlyAttempt, id, atMs, transport])
    if (rules.paced) batch.push(attempts.recordDispatchTime(deviceId, atMs))
    let changes: readonly number[]
    try {
      changes = await pending.writer.write(batch)
    } catch (error) {
      if (over) attempts.unend(deviceId, over)
      throw error
    } finally {
      pending.queues.endSettling(id)
    }
    if (over) attempts.ended(over, outcome)
    // The message was superseded meanwhile.
    if (changes[at] === 0) return this.#claim(deviceId, transport, null, rules)
    const transition = pending.transitioned(id, deviceId, 'dispatchedOnce')
    pending.remove(deviceId, id)
    pending.counts.attemptEnded(transport, 'HANDED_OVER')
    return { is: 'message', message: dispatched, recorded: null, transition }
  }
}
