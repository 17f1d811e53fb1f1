/**
 * The transitions of a message's status, each as one conditional update, so that none starts from a status that it may
 * not start from. Knows no queues.
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

/** Keeps the changes of one message at least a millisecond apart, so that their times tell their order. */
const LATER = `max(?, changed_at_ms + (status <> 'NOT_DELIVERED'))`
/** Keeps the time at which a message first left NOT_DELIVERED for DELIVERED or a later status. */
const DELIVERED = `delivered_at_ms = coalesce(delivered_at_ms, ${LATER})`
/** Stores the time of the first poll, which is known in memory first. */
const POLLED = 'polled_at_ms = coalesce(polled_at_ms, ?)'

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
  readonly #send: WriteStatement
  readonly #sendFailed: WriteStatement
  readonly #acknowledge: Record<AckStatus, WriteStatement>

  constructor(writer: Writer) {
    const prepare = (transition: Transition, set: string, where = ''): WriteStatement =>
      writer.prepare(update(transition, set, where))
    this.#supersede = prepare(TRANSITIONS.supersede, 'superseded_by = ?')
    const neverDispatched =
      'AND polled_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE message_id = messages.id)'
    this.#cancel = prepare(TRANSITIONS.cancel, 'changed_by = ?', neverDispatched)
    this.#send = prepare(TRANSITIONS.send, DELIVERED)
    this.#sendFailed = prepare(TRANSITIONS.sendFailed, `broken_at_ms = ${LATER}`)
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

  /** @param by the message that supersedes it */
  supersede(id: number, by: number, atMs: number): WriteOp {
    return [this.#supersede, atMs, by, id]
  }

  cancel(id: number, by: string | null, atMs: number): WriteOp {
    return [this.#cancel, atMs, by, id]
  }

  send(id: number, atMs: number): WriteOp {
    return [this.#send, atMs, atMs, id]
  }

  sendFailed(id: number, atMs: number): WriteOp {
    return [this.#sendFailed, atMs, atMs, id]
  }

  /** @param message.polledAtMs time of the first poll, if that is not on disk yet */
  acknowledge(status: AckStatus, { id, deviceId, by, atMs, polledAtMs }: AcknowledgedMessage): WriteOp {
    const change = this.#acknowledge[status]
    if (status === 'DELIVERED') return [change, atMs, atMs, polledAtMs, by, by, id, deviceId]
    return [change, atMs, atMs, polledAtMs, by, id, deviceId]
  }
}

function update({ from, to, guarantee }: Transition, set: string, where: string): string {
  // Not with IN: SQLite fills a table with the list each time.
  const starts = from.map((status) => `status = '${status}'`).join(' OR ')
  return `UPDATE messages
    SET status = '${to}', changed_at_ms = ${LATER}, ${set}
    WHERE id = ? AND (${starts})
      ${guarantee ? `AND guarantee = '${guarantee}'` : ''} ${where}`
}
