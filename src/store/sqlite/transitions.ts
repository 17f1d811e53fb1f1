/**
 * Turns each transition of a message's status into one conditional update, which changes nothing unless the message has
 * a status from which the transition may start. Knows no queues.
 */
import {
  ACK_STATUSES,
  ACK_TRANSITIONS,
  type AckStatus,
  TRANSITIONS,
  type Transition,
} from '../../broker/status.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

/** Time of a change, at least a millisecond after the change before, so that the times of a message show the order. */
const LATER = `max(?, changed_at_ms + (status <> 'NOT_DELIVERED'))`
/** Sets the time at which a message first left NOT_DELIVERED for DELIVERED or a later status. */
const DELIVERED = `delivered_at_ms = coalesce(delivered_at_ms, ${LATER})`
/** Sets the time of the first poll, if that is not on disk yet. */
const POLLED = 'polled_at_ms = coalesce(polled_at_ms, ?)'

interface AcknowledgedMessage {
  readonly id: number
  readonly deviceId: string
  readonly by: string | null
  readonly atMs: number
  readonly polledAtMs: number | null
}

/** Holds one prepared statement for each transition. */
export class Transitions {
  readonly #supersede: WriteStatement
  readonly #cancel: WriteStatement
  readonly #send: WriteStatement
  readonly #sendFailed: WriteStatement
  readonly #acknowledge: Record<AckStatus, WriteStatement>

  constructor(writer: Writer) {
    const prepare = (transition: Transition, set: string, where = ''): WriteStatement =>
      writer.prepare(update(transition, set, where))
    this.#supersede = prepare(TRANSITIONS.superseded, 'superseded_by = ?')
    const neverDispatched =
      'AND polled_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE message_id = messages.id)'
    this.#cancel = prepare(TRANSITIONS.cancelled, 'changed_by = ?', neverDispatched)
    this.#send = prepare(TRANSITIONS.dispatchedOnce, DELIVERED)
    this.#sendFailed = prepare(TRANSITIONS.dispatchFailed, `broken_at_ms = ${LATER}`)
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

  /** @param by id of the superseding message */
  supersede(id: number, by: number, atMs: number): WriteOp {
    return [this.#supersede, atMs, by, id]
  }

  /** @param by the client that cancels the message */
  cancel(id: number, by: string | null, atMs: number): WriteOp {
    return [this.#cancel, atMs, by, id]
  }

  send(id: number, atMs: number): WriteOp {
    return [this.#send, atMs, atMs, id]
  }

  sendFailed(id: number, atMs: number): WriteOp {
    return [this.#sendFailed, atMs, atMs, id]
  }

  /** @param message.polledAtMs time of the first poll, if it is not on disk yet */
  acknowledge(status: AckStatus, { id, deviceId, by, atMs, polledAtMs }: AcknowledgedMessage): WriteOp {
    const change = this.#acknowledge[status]
    if (status === 'DELIVERED') return [change, atMs, atMs, polledAtMs, by, by, id, deviceId]
    return [change, atMs, atMs, polledAtMs, by, id, deviceId]
  }
}

function update({ from, to, guarantee }: Transition, set: string, where: string): string {
  // An IN list would make SQLite fill a temporary table with the list for each update.
  const starts = from.map((status) => `status = '${status}'`).join(' OR ')
  return `UPDATE messages
    SET status = '${to}', changed_at_ms = ${LATER}, ${set}
    WHERE id = ? AND (${starts})
      ${guarantee ? `AND guarantee = '${guarantee}'` : ''} ${where}`
}
