/** Cancels pending messages in SQLite: one message, or the messages of a device that match a filter. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Database, Statement } from 'better-sqlite3'
import type {
  CancelChange,
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  ManyChanges,
  Transitioned,
} from '../../../broker/contract/store.ts'
import { cancellation, type Status } from '../../../broker/vocabulary/status.ts'
import type { CountLine } from '../records/audit.ts'
import type { Attempts } from './attempts.ts'
import type { Moves } from './moves.ts'
import { ATTEMPT_COUNT, MANY_STEP, type PendingMessages } from './pending-messages.ts'

interface Parts {
  readonly pending: PendingMessages
  readonly attempts: Attempts
  readonly moves: Moves
}

interface Row {
  readonly deviceId: string
  readonly status: Status
  readonly attempts: number
}

export class Cancellations {
  readonly #parts: Parts
  readonly #row: Statement<[id: number], Row>
  readonly #senderId: Statement<[id: number], string | null>

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    this.#parts = parts
    this.#row = db.prepare(
      `SELECT device_id AS deviceId, status, ${ATTEMPT_COUNT} AS attempts FROM messages m WHERE id = ?`,
    )
    this.#senderId = db
      .prepare<[number], string | null>('SELECT sender_id FROM messages WHERE id = ?')
      .pluck()
  }

  /** Cancels one message; see `MessageStore.cancel`. */
  async cancel(messageId: number, { by, force, audit = null }: CancelChange): Promise<CancelOutcome | null> {
    const { pending, moves } = this.#parts
    const row = this.#read(messageId)
    if (row === null) return null
    const { deviceId, status } = row
    const attempts = this.#attempts(deviceId, messageId, row)
    if (status !== 'NOT_DELIVERED' || (!force && this.#wasDispatched(deviceId, messageId)))
      return { status, transition: null, attempts }
    const name = cancellation(force)
    const nowMs = pending.clock.wallMs()
    const line = audit && pending.audit.line(audit)
    // The entry is settling during the write, so that the device does not receive the message.
    const settles = pending.queues.beginSettling(deviceId, messageId)
    try {
      const isCancelled = await pending.writer.write(() => {
        const isChanged = moves.make(moves.find(messageId, nowMs), name, { by, nowMs })
        if (isChanged) line?.()
        return isChanged
      })
      if (isCancelled) {
        const transition = pending.transitioned(messageId, deviceId, name)
        pending.remove(deviceId, messageId)
        return { status: 'CANCELLED', transition, attempts }
      }
    } finally {
      if (settles) pending.settled(deviceId, messageId)
    }
    const current = this.#read(messageId)
    return current && { status: current.status, transition: null, attempts: current.attempts }
  }

  #read(messageId: number): Row | null {
    return this.#parts.pending.writer.read(() => this.#row.get(messageId)) ?? null
  }

  /** Returns the number of attempts. Memory may have an attempt that is not yet on disk. */
  #attempts(deviceId: string, messageId: number, { attempts }: Row): number {
    return Math.max(attempts, this.#parts.attempts.latest(deviceId, messageId)?.number ?? 0)
  }

  #wasDispatched(deviceId: string, messageId: number): boolean {
    return this.#parts.attempts.latest(deviceId, messageId) !== null
  }

  /** Cancels messages of a device; see `MessageStore.cancelAll`. */
  async cancelAll(
    deviceId: string,
    filter: CancelFilter,
    { limit, audit = null, onStep }: ManyChanges,
  ): Promise<CancelledMessages> {
    const { queues, audit: trail } = this.#parts.pending
    const count = audit && trail.countedLine(audit)
    const ids =
      filter.command === undefined ? queues.ids(deviceId) : queues.withCommand(deviceId, filter.command)
    const cancelled: Transitioned[] = []
    const handedOver: number[] = []
    for (let at = 0; at < ids.length && cancelled.length < limit; at += MANY_STEP) {
      if (at > 0) await turn()
      const accepted = this.#accepted(deviceId, filter, ids.slice(at, at + MANY_STEP))
      const step = this.#choose(deviceId, filter, accepted, limit - cancelled.length)
      handedOver.push(...step.handedOver)
      const changes = await this.#cancelStep(deviceId, filter, step.ids, count)
      cancelled.push(...changes)
      if (changes.length > 0) onStep?.(changes)
    }
    return { cancelled, handedOver }
  }

  /** Chooses the messages of one step, and marks them as settling. */
  #choose(deviceId: string, { force }: CancelFilter, accepted: Iterable<number>, limit: number) {
    const handedOver: number[] = []
    const ids: number[] = []
    for (const id of accepted) {
      const wasDispatched = this.#wasDispatched(deviceId, id)
      if (wasDispatched) handedOver.push(id)
      if (wasDispatched && !force) continue
      if (!this.#parts.pending.queues.beginSettling(deviceId, id)) continue
      ids.push(id)
      if (ids.length === limit) break
    }
    return { ids, handedOver }
  }

  async #cancelStep(
    deviceId: string,
    { by, force }: CancelFilter,
    ids: readonly number[],
    count: CountLine | null,
  ): Promise<Transitioned[]> {
    if (ids.length === 0) return []
    const { pending, moves } = this.#parts
    const name = cancellation(force)
    const nowMs = pending.clock.wallMs()
    try {
      const gone = await pending.writer.write(() => {
        const changed = ids.filter((id) => moves.make(moves.find(id, nowMs), name, { by, nowMs }))
        count?.(changed.length)
        return changed
      })
      const cancelled = gone.map((id) => pending.transitioned(id, deviceId, name))
      for (const id of gone) pending.remove(deviceId, id)
      return cancelled
    } finally {
      for (const id of ids) pending.queues.endSettling(id)
      if (pending.queues.size(deviceId) > 0) pending.report({ is: 'added', deviceId })
    }
  }

  /** Yields the given messages of a device that are pending and match a filter. */
  *#accepted(deviceId: string, { senderId }: CancelFilter, ids: readonly number[]): Generator<number> {
    const { queues, writer } = this.#parts.pending
    for (const id of ids) {
      if (!queues.isPending(deviceId, id)) continue
      if (senderId === undefined || writer.read(() => this.#senderId.get(id)) === senderId) yield id
    }
  }
}
