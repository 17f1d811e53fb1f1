/** Processes deadlines in SQLite, and parks messages. A step reads due deadlines only. */
import type { Database, Statement } from 'better-sqlite3'
import type { ParkOutcome } from '../../../broker/contract/device-lease.ts'
import type { Expiry, LastAttempt, Transitioned } from '../../../broker/contract/store.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Attempts } from './attempts.ts'
import type { FinishDeadlines } from './finish-deadlines.ts'
import type { Moves } from './moves.ts'
import { ATTEMPT_COUNT, type PendingMessages } from './pending-messages.ts'
import type { QueuedAttempt } from './queued-attempt.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly finishDeadlines: FinishDeadlines
  readonly moves: Moves
}

interface Deadline {
  readonly atMs: number
  readonly kind: 'EXPIRES' | 'FINISH'
  readonly id: number
  /** Null if the message was purged. */
  readonly deviceId: string | null
  readonly attempts: number
}

/** Change that a deadline or the end of the last attempt causes. */
interface Ending {
  readonly id: number
  readonly deviceId: string
  readonly name: 'parked' | 'expired' | 'expiredInFlight' | 'notFinished'
  readonly attempts: number
  /** The attempt that the change ends, before its end. */
  readonly over: QueuedAttempt | null
  readonly outcome: ParkOutcome
  /** True if the entry of the queue is settling until the change is durable. */
  readonly settles: boolean
}

/** Attempt that defers the expiry of its message. */
interface Deferral {
  readonly id: number
  readonly untilMs: number
}

type Ended = readonly [transition: Transitioned, attempts: number]

export class Expiries {
  readonly #parts: Parts
  readonly #due: Statement<[nowMs: number, limit: number], Deadline>
  readonly #next: Statement<[], number | null>
  readonly #delete: WriteStatement
  readonly #insert: WriteStatement

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
  }

  /** Performs one step; see `MessageStore.expire`. */
  async expire(limit: number): Promise<Expiry> {
    const { clock, writer } = this.#parts.pending
    const due = writer.read(() => this.#due.all(clock.wallMs(), limit))
    const endings: Ending[] = []
    const deferrals: Deferral[] = []
    for (const { kind, id, deviceId, attempts } of due) {
      if (deviceId === null) continue
      if (kind === 'FINISH') endings.push(finishOf(id, deviceId, attempts))
      else {
        const running = this.#running(id, deviceId)
        if (running !== null) deferrals.push(running)
        else if (this.#parts.pending.queues.has(deviceId, id)) endings.push(this.#expireOne(id, deviceId))
      }
    }
    const ended =
      due.length === 0
        ? []
        : await this.#write(endings, () => {
            for (const { atMs, kind, id } of due) this.#delete.run(atMs, kind, id)
            for (const deferral of deferrals) this.#defer(deferral)
          })
    const settled = ended.map(([transition, attempts]) => ({ ...transition, attempts }))
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
    const [parked] = await this.#write([this.#begin(messageId, deviceId, 'parked', outcome)])
    return parked?.[0] ?? null
  }

  /** Returns the running attempt with a pending message; null without one. */
  #running(id: number, deviceId: string): Deferral | null {
    const { pending, attempts } = this.#parts
    const { queues, clock } = pending
    const latest = queues.has(deviceId, id) ? attempts.latest(deviceId, id) : null
    if (latest === null || !attempts.isRunning(latest)) return null
    return { id, untilMs: clock.wallMs() + Math.ceil(latest.untilMs - clock.monotonicMs()) }
  }

  /** Moves the deadline of a message to the end of its attempt, in the running transaction. */
  #defer({ id, untilMs }: Deferral): void {
    this.#insert.run(untilMs, 'EXPIRES', id)
    // After a crash the message must not look as if it was never dispatched, or it would become CANCELLED.
    this.#parts.pending.pollTimestamps.store(id)
  }

  #expireOne(id: number, deviceId: string): Ending {
    const latest = this.#parts.attempts.latest(deviceId, id)
    return this.#begin(id, deviceId, latest ? 'expiredInFlight' : 'expired', 'TIMEOUT')
  }

  /** Ends the open attempt with a message in memory, and begins a change that removes the message from its queue. */
  #begin(
    id: number,
    deviceId: string,
    name: 'parked' | 'expired' | 'expiredInFlight',
    outcome: ParkOutcome,
  ): Ending {
    const { pending, attempts } = this.#parts
    const over = attempts.end(deviceId, { messageId: id, outcome })
    const settles = pending.queues.beginSettling(deviceId, id)
    const count = attempts.latest(deviceId, id)?.number ?? 0
    return { id, deviceId, name, attempts: count, over, outcome, settles }
  }

  /**
   * Makes the changes in one transaction. Returns the changes whose rules allow them.
   *
   * @param first runs in the transaction before the changes
   */
  async #write(endings: readonly Ending[], first?: () => void): Promise<Ended[]> {
    const { pending, attempts } = this.#parts
    const nowMs = pending.clock.wallMs()
    let changed: readonly Ending[]
    try {
      changed = await pending.writer.write(() => {
        first?.()
        return endings.filter((ending) => this.#make(ending, nowMs))
      })
    } catch (error) {
      for (const { deviceId, id, over, settles } of endings) {
        if (over) attempts.unend(deviceId, over)
        if (settles) pending.settled(deviceId, id)
      }
      throw error
    }
    const isChanged = new Set(changed)
    return endings.flatMap((ending) => this.#ended(ending, isChanged.has(ending)))
  }

  /** Makes a change in the running transaction. Returns whether its rule allows it. */
  #make({ id, name, over, outcome }: Ending, nowMs: number): boolean {
    const { attempts, finishDeadlines, moves } = this.#parts
    if (over) attempts.storeOutcome(over, outcome)
    // The row of an earlier finish deadline changes nothing.
    if (name === 'notFinished' && !finishDeadlines.isOver(id, nowMs)) return false
    if (!moves.make(moves.find(id, nowMs), name, { by: null, nowMs })) return false
    if (name === 'notFinished') finishDeadlines.end(id)
    return true
  }

  #ended({ deviceId, id, name, over, outcome, settles, attempts }: Ending, isChanged: boolean): Ended[] {
    const { pending, finishDeadlines } = this.#parts
    if (over) pending.counts.attemptEnded(over.transport, outcome)
    const ended: Ended[] = isChanged ? [[pending.transitioned(id, deviceId, name), attempts]] : []
    if (isChanged && name === 'notFinished') finishDeadlines.ended(deviceId, id)
    else if (isChanged) pending.remove(deviceId, id)
    if (settles) pending.settled(deviceId, id)
    return ended
  }
}

function finishOf(id: number, deviceId: string, attempts: number): Ending {
  return { id, deviceId, name: 'notFinished', attempts, over: null, outcome: 'TIMEOUT', settles: false }
}
