/**
 * Turns each transition of a message's status into one conditional update, which changes nothing unless the message has
 * a permitted initial status. Knows no queues.
 */
import {
  ACK_STATUSES,
  ACK_TRANSITIONS,
  type AckStatus,
  SHOWN_CAUSES,
  TRANSITIONS,
  type Transition,
} from '../../../broker/vocabulary/status.ts'
import type { WriteOp, WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'

/**
 * Time of a change, at least a millisecond after the previous change, so that the times of a message show the order.
 */
const LATER = `max(?, changed_at_ms + (status <> 'NOT_DELIVERED'))`
/** Sets the time at which a message first left NOT_DELIVERED for DELIVERED or a later status. */
const DELIVERED = `delivered_at_ms = coalesce(delivered_at_ms, ${LATER})`
/** Sets the time of the first poll, if it is not yet on disk. */
const POLLED = 'polled_at_ms = coalesce(polled_at_ms, ?)'
/** Marks a change by the broker. */
const BY_BROKER = 'changed_by = NULL'
interface AcknowledgedMessage {
  readonly id: number
  readonly deviceId: string
  readonly by: string | null
  readonly atMs: number
  readonly polledAtMs: number | null
}

export class Transitions {
  readonly #supersede: WriteStatement
  readonly #cancel: WriteStatement
  readonly #cancelByForce: WriteStatement
  readonly #send: WriteStatement
  readonly #sendFailed: WriteStatement
  readonly #expire: WriteStatement
  readonly #expireInFlight: WriteStatement
  readonly #park: WriteStatement
  readonly #notFinished: WriteStatement
  readonly #replay: WriteStatement
  readonly #recordChange: WriteStatement
  readonly #acknowledge: Record<AckStatus, WriteStatement>

  constructor(writer: Writer) {
    const prepare = (transition: Transition, set: string, where = ''): WriteStatement =>
      writer.prepare(update(transition, set, where))
    this.#supersede = prepare(TRANSITIONS.superseded, `superseded_by = ?, ${POLLED}`)
    this.#cancel = prepare(TRANSITIONS.cancelled, 'changed_by = ?')
    this.#cancelByForce = prepare(TRANSITIONS.cancelledByForce, `changed_by = ?, ${POLLED}`)
    this.#send = prepare(TRANSITIONS.dispatchedOnce, `${DELIVERED}, ${POLLED}`)
    this.#sendFailed = prepare(TRANSITIONS.dispatchFailed, `broken_at_ms = ${LATER}, ${BY_BROKER}`)
    this.#expire = prepare(TRANSITIONS.expired, BY_BROKER)
    this.#expireInFlight = prepare(TRANSITIONS.expiredInFlight, BY_BROKER)
    this.#park = prepare(TRANSITIONS.parked, BY_BROKER)
    this.#notFinished = prepare(
      TRANSITIONS.notFinished,
      BY_BROKER,
      // A row of an earlier finish deadline does nothing.
      'AND EXISTS (SELECT 1 FROM terms WHERE message_id = messages.id AND finish_at_ms <= ?)',
    )
    this.#replay = prepare(TRANSITIONS.replayed, 'changed_by = ?')
    this.#recordChange = writer.prepare(
      `INSERT INTO changes (message_id, number, at_ms, status, cause, by)
       SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM changes WHERE message_id = messages.id),
         changed_at_ms, status, cause, changed_by
       FROM messages WHERE id = ? AND changes() > 0`,
    )
    const acknowledge = (status: AckStatus): WriteStatement =>
      prepare(
        TRANSITIONS[ACK_TRANSITIONS[status]],
        `${DELIVERED}, ${POLLED}, changed_by = ?${status === 'DELIVERED' ? ', delivered_by = ?' : ''}`,
        'AND device_id = ?',
      )
    this.#acknowledge = Object.fromEntries(
      ACK_STATUSES.map((status) => [status, acknowledge(status)]),
    ) as Record<AckStatus, WriteStatement>
  }

  /**
   * @param by id of the superseding message
   * @param polledAtMs time of the first poll, if it is not yet on disk
   */
  supersede(id: number, by: number, atMs: number, polledAtMs: number | null): WriteOp {
    return [this.#supersede, atMs, by, polledAtMs, id]
  }

  /** @param by the client that cancels the message */
  cancel(id: number, by: string | null, atMs: number): WriteOp {
    return [this.#cancel, atMs, by, id]
  }

  /** @param polledAtMs time of the first poll, if it is not yet on disk */
  cancelByForce(id: number, by: string | null, atMs: number, polledAtMs: number | null): WriteOp {
    return [this.#cancelByForce, atMs, by, polledAtMs, id]
  }

  /** @param polledAtMs time of the poll that dispatches the message; null for a claim */
  send(id: number, atMs: number, polledAtMs: number | null): WriteOp {
    return [this.#send, atMs, atMs, polledAtMs, id]
  }

  sendFailed(id: number, atMs: number): WriteOp {
    return [this.#sendFailed, atMs, atMs, id]
  }

  expire(id: number, atMs: number): WriteOp {
    return [this.#expire, atMs, id]
  }

  expireInFlight(id: number, atMs: number): WriteOp {
    return [this.#expireInFlight, atMs, id]
  }

  park(id: number, atMs: number): WriteOp {
    return [this.#park, atMs, id]
  }

  notFinished(id: number, atMs: number): WriteOp {
    return [this.#notFinished, atMs, id, atMs]
  }

  replay(id: number, by: string | null, atMs: number): WriteOp {
    return [this.#replay, atMs, by, id]
  }

  /** Stores the change of the previous operation, if it made one, in the history of its message. */
  recordChange(id: number): WriteOp {
    return [this.#recordChange, id]
  }

  /** @param message.polledAtMs time of the first poll, if it is not yet on disk */
  acknowledge(status: AckStatus, { id, deviceId, by, atMs, polledAtMs }: AcknowledgedMessage): WriteOp {
    const change = this.#acknowledge[status]
    if (status === 'DELIVERED') return [change, atMs, atMs, polledAtMs, by, by, id, deviceId]
    return [change, atMs, atMs, polledAtMs, by, id, deviceId]
  }
}

/** Returns the statement of a transition, with what its rule says of a message. See {@link conditionsOf}. */
function update(transition: Transition, set: string, where: string): string {
  const { to, cause } = transition
  return `UPDATE messages
    SET status = '${to}', cause = ${SHOWN_CAUSES.includes(cause) ? `'${cause}'` : 'NULL'},
      changed_at_ms = ${LATER}, ${set}
    WHERE id = ? AND ${conditionsOf(transition)} ${where}`
}

/**
 * Returns the rule of a transition as SQL, without what the disk cannot know: `dispatched: true`, because the row of an attempt
 * may follow later, and `valid`, because the validity has a table of its own.
 */
function conditionsOf({ from, guarantee, exceptGuarantee, exceptCause, dispatched }: Transition): string {
  const conditions = [
    // An IN list would make SQLite fill a temporary table with the list for each update.
    `(${from.map((status) => `status = '${status}'`).join(' OR ')})`,
  ]
  if (guarantee !== undefined) conditions.push(`guarantee = '${guarantee}'`)
  if (exceptGuarantee !== undefined) conditions.push(`guarantee <> '${exceptGuarantee}'`)
  if (exceptCause !== undefined) conditions.push(`cause IS NOT '${exceptCause}'`)
  if (dispatched === false) {
    conditions.push(
      'polled_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE message_id = messages.id)',
    )
  }
  return conditions.join(' AND ')
}
