/**
 * The moves of a message's status, each as one conditional update, so that none is made from a status that it does
 * not start from. Knows no queues.
 */
import { ACK_MOVES, type AckStatus, MOVES, type Move } from '../../broker/status.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

/** The changes of one message are at least a millisecond apart: their times tell their order. */
const LATER = `max(?, changed_at_ms + (status <> 'NOT_DELIVERED'))`
/** When a message first left NOT_DELIVERED for DELIVERED or a later status. */
const DELIVERED = `delivered_at_ms = coalesce(delivered_at_ms, ${LATER})`
/** Known in memory first. */
const POLLED = 'polled_at_ms = coalesce(polled_at_ms, ?)'

interface Acknowledgement {
  readonly id: number
  readonly deviceId: string
  readonly by: string | null
  readonly atMs: number
  readonly polledAtMs: number | null
}

export class Moves {
  readonly #superseded: WriteStatement
  readonly #cancelled: WriteStatement
  readonly #handOver: WriteStatement
  readonly #handOverFailed: WriteStatement
  readonly #acknowledged: Record<AckStatus, WriteStatement>

  constructor(writer: Writer) {
    const prepare = (move: Move, set: string, where = ''): WriteStatement =>
      writer.prepare(update(move, set, where))
    this.#superseded = prepare(MOVES.superseded, 'superseded_by = ?')
    const neverHandedOver =
      'AND polled_at_ms IS NULL AND NOT EXISTS (SELECT 1 FROM attempts WHERE message_id = messages.id)'
    this.#cancelled = prepare(MOVES.cancelled, 'changed_by = ?', neverHandedOver)
    this.#handOver = prepare(MOVES.handOver, DELIVERED)
    this.#handOverFailed = prepare(MOVES.handOverFailed, `broken_at_ms = ${LATER}`)
    const acknowledged = (status: AckStatus): WriteStatement =>
      prepare(
        MOVES[ACK_MOVES[status]],
        `${DELIVERED}, ${POLLED}, changed_by = ?${status === 'DELIVERED' ? ', delivered_by = ?' : ''}`,
        'AND device_id = ?',
      )
    this.#acknowledged = {
      DELIVERED: acknowledged('DELIVERED'),
      COMPLETED: acknowledged('COMPLETED'),
      COMPLETED_WITH_ERROR: acknowledged('COMPLETED_WITH_ERROR'),
    }
  }

  /** @param by the message that takes its place */
  superseded(id: number, by: number, atMs: number): WriteOp {
    return [this.#superseded, atMs, by, id]
  }

  cancelled(id: number, by: string | null, atMs: number): WriteOp {
    return [this.#cancelled, atMs, by, id]
  }

  handOver(id: number, atMs: number): WriteOp {
    return [this.#handOver, atMs, atMs, id]
  }

  handOverFailed(id: number, atMs: number): WriteOp {
    return [this.#handOverFailed, atMs, atMs, id]
  }

  /** @param ack.polledAtMs of the first poll that got it, as far as that is not on disk yet */
  acknowledged(status: AckStatus, { id, deviceId, by, atMs, polledAtMs }: Acknowledgement): WriteOp {
    const change = this.#acknowledged[status]
    if (status === 'DELIVERED') return [change, atMs, atMs, polledAtMs, by, by, id, deviceId]
    return [change, atMs, atMs, polledAtMs, by, id, deviceId]
  }
}

function update({ from, to, guarantee }: Move, set: string, where: string): string {
  // Not with IN: SQLite fills a table with the list each time.
  const starts = from.map((status) => `status = '${status}'`).join(' OR ')
  return `UPDATE messages
    SET status = '${to}', changed_at_ms = ${LATER}, ${set}
    WHERE id = ? AND (${starts})
      ${guarantee ? `AND guarantee = '${guarantee}'` : ''} ${where}`
}
