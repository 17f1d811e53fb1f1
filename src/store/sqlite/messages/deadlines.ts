/** Processes deadlines in SQLite, and parks messages. A step reads due deadlines only. */
import type { Database, Statement } from 'better-sqlite3'
import type { ParkOutcome } from '../../../broker/contract/device-lease.ts'
import type { Expiry, LastAttempt, Transitioned } from '../../../broker/contract/store.ts'
import type { TransitionName } from '../../../broker/vocabulary/status.ts'
import type { WriteOp, WriteStatement } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { FinishDeadlines } from './finish-deadlines.ts'
import type { LatestAttempt } from './latest-attempt.ts'
import { ATTEMPT_COUNT, type PendingMessages } from './pending-messages.ts'
import type { Transitions } from './transitions.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly finishDeadlines: FinishDeadlines
  readonly transitions: Transitions
}

interface Deadline {
  readonly atMs: number
  readonly kind: 'EXPIRES' | 'FINISH'
  readonly id: number
  /** Null if the message was purged. */
  readonly deviceId: string | null
  readonly attempts: number
}

interface Settling {
  readonly id: number
  readonly deviceId: string
  readonly name: TransitionName
  readonly at: number
  readonly attempts: number
  /** The attempt that the transition ends, before its end. */
  readonly over: LatestAttempt | null
  readonly outcome: ParkOutcome
  readonly settles: boolean
}

type Settled = readonly [transition: Transitioned, attempts: number]

export class Expiries {
  readonly #parts: Parts
  readonly #due: Statement<[nowMs: number, limit: number], Deadline>
  readonly #next: Statement<[], number | null>
  readonly #delete: WriteStatement
  readonly #insert: WriteStatement
  readonly #endFinish: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    this.#parts = parts
    const { writer } = parts.pending
    this.#due = db.prepare(
      `SELECT d.at_ms AS atMs, d.kind, d.message_id AS id, m.device_id AS deviceId, ${ATTEMPT_COUNT} AS attempts
       FROM deadlines d LEFT JOIN messages m ON m.id = d.message_id
       WHERE d.at_ms <= ? ORDER BY d.at_ms LIMIT ?`,
    )
    this.#next = db.prepare<[], number | null>('SELECT min(at_ms) FROM deadlines').pluck()
    this.#delete = writer.prepare('DELETE FROM deadlines WHERE at_ms = ? AND kind = ? AND message_id = ?')
    this.#insert = writer.prepare('INSERT OR IGNORE INTO deadlines VALUES (?, ?, ?)')
    this.#endFinish = writer.prepare(
      'UPDATE terms SET finish_at_ms = NULL WHERE message_id = ? AND changes() > 0',
    )
  }

  /** Performs one step; see `MessageStore.expire`. */
  async expire(limit: number): Promise<Expiry> {
    const { clock, writer } = this.#parts.pending
    const due = writer.read(() => this.#due.all(clock.wallMs(), limit))
    const batch: WriteOp[] = []
    const settling: Settling[] = []
    for (const deadline of due) {
      const { atMs, kind, id, deviceId, attempts } = deadline
      batch.push([this.#delete, atMs, kind, id])
      if (deviceId === null) continue
      if (kind === 'FINISH') settling.push(this.#finish(id, deviceId, attempts, batch))
      else {
        const each = this.#expireOne(id, deviceId, batch)
        if (each) settling.push(each)
      }
    }
    const changed = batch.length === 0 ? [] : await this.#write(batch, settling)
    const settled = changed.map(([transition, attempts]) => ({ ...transition, attempts }))
    const nextAtMs = writer.read(() => this.#next.get()) ?? null
    return { settled, nextInMs: nextAtMs === null ? null : Math.max(0, nextAtMs - clock.wallMs()) }
  }

  /** Parks a message; see `MessageStore.park`. */
  async park(
    deviceId: string,
    { messageId, number, outcome = 'TIMEOUT' }: LastAttempt,
  ): Promise<Transitioned | null> {
    const { pending, attempts } = this.#parts
    if (!pending.queues.isPending(deviceId, messageId)) return null
    const latest = attempts.latest(deviceId, messageId)
    if (latest?.number !== number || latest.outcome !== null) return null
    const batch: WriteOp[] = []
    const settling = this.#settle(messageId, deviceId, 'parked', batch, outcome)
    const [parked] = await this.#write(batch, [settling])
    return parked?.[0] ?? null
  }

  #finish(id: number, deviceId: string, attempts: number, batch: WriteOp[]): Settling {
    const { pending, transitions } = this.#parts
    const at = batch.push(transitions.notFinished(id, pending.clock.wallMs())) - 1
    batch.push(transitions.recordChange(id), [this.#endFinish, id])
    return { id, deviceId, name: 'notFinished', at, attempts, over: null, outcome: 'TIMEOUT', settles: false }
  }

  /** Returns null if the message is not pending, or its attempt continues. */
  #expireOne(id: number, deviceId: string, batch: WriteOp[]): Settling | null {
    const { pending, attempts } = this.#parts
    const { queues, clock } = pending
    if (!queues.has(deviceId, id)) return null
    const latest = attempts.latest(deviceId, id)
    if (latest && attempts.isRunning(latest)) {
      const endAtMs = clock.wallMs() + Math.ceil(latest.untilMs - clock.monotonicMs())
      batch.push([this.#insert, endAtMs, 'EXPIRES', id])
      // After a crash the message must not look as if it was never dispatched, or it would become CANCELLED.
      const polled = pending.pollTimestamps.op(id)
      if (polled !== null) batch.push(polled)
      return null
    }
    return this.#settle(id, deviceId, latest ? 'expiredInFlight' : 'expired', batch)
  }

  /** Ends the open attempt with a message, and adds a transition that removes the message from its queue. */
  #settle(
    id: number,
    deviceId: string,
    name: 'parked' | 'expired' | 'expiredInFlight',
    batch: WriteOp[],
    outcome: ParkOutcome = 'TIMEOUT',
  ): Settling {
    const { pending, attempts, transitions } = this.#parts
    const over = attempts.end(deviceId, { messageId: id, outcome }, batch, true)
    const settles = pending.queues.beginSettling(deviceId, id)
    const nowMs = pending.clock.wallMs()
    const op =
      name === 'parked'
        ? transitions.park(id, nowMs)
        : name === 'expired'
          ? transitions.expire(id, nowMs)
          : transitions.expireInFlight(id, nowMs)
    const at = batch.push(op) - 1
    batch.push(transitions.recordChange(id))
    const count = attempts.latest(deviceId, id)?.number ?? 0
    return { id, deviceId, name, at, attempts: count, over, outcome, settles }
  }

  async #write(batch: readonly WriteOp[], settling: readonly Settling[]): Promise<Settled[]> {
    const { pending, attempts } = this.#parts
    let changes: readonly number[]
    try {
      changes = await pending.writer.write(batch)
    } catch (error) {
      for (const { deviceId, id, over, settles } of settling) {
        if (over) attempts.unend(deviceId, over)
        if (settles) pending.settled(deviceId, id)
      }
      throw error
    }
    return settling.flatMap((each) => this.#settled(each, changes[each.at] !== 0))
  }

  #settled(
    { deviceId, id, name, over, outcome, settles, attempts }: Settling,
    isChanged: boolean,
  ): Settled[] {
    const { pending, finishDeadlines } = this.#parts
    if (over) pending.counts.attemptEnded(over.transport, outcome)
    const changed: Settled[] = isChanged ? [[pending.transitioned(id, deviceId, name), attempts]] : []
    if (isChanged && name === 'notFinished') finishDeadlines.ended(deviceId, id)
    else if (isChanged) pending.remove(deviceId, id)
    if (settles) pending.settled(deviceId, id)
    return changed
  }
}
