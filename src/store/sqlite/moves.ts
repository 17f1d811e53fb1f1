/**
 * The moves of a message's status, each as one conditional update, so that none is made from a status that it does
 * not start from. Knows no queues.
 */
import { ACK_MOVES, type AckStatus, MOVES, type Move } from '../../broker/status.ts'
import type { Step, Writer } from './writer.ts'

/** The changes of one message are at least a millisecond apart: their times tell their order. */
const LATER = `max(?, changed_at_ms + (status <> 'NOT_DELIVERED'))`
/** When a message first left NOT_DELIVERED for DELIVERED or a later status. */
const DELIVERED = `delivered_at_ms = coalesce(delivered_at_ms, ${LATER})`

export class Moves {
  readonly #superseded: number
  readonly #cancelled: number
  readonly #handOver: number
  readonly #handOverFailed: number
  readonly #acknowledged: Record<AckStatus, number>

  constructor(writer: Writer) {
    const prepare = (move: Move, set: string, where = ''): number => writer.prepare(update(move, set, where))
    this.#superseded = prepare(MOVES.superseded, 'superseded_by = ?')
    const neverHandedOver = 'AND NOT EXISTS (SELECT 1 FROM attempts WHERE message_id = messages.id)'
    this.#cancelled = prepare(MOVES.cancelled, 'changed_by = ?', neverHandedOver)
    this.#handOver = prepare(MOVES.handOver, DELIVERED)
    this.#handOverFailed = prepare(MOVES.handOverFailed, `broken_at_ms = ${LATER}`)
    const acknowledged = (status: AckStatus): number =>
      prepare(
        MOVES[ACK_MOVES[status]],
        `${DELIVERED}, changed_by = ?${status === 'DELIVERED' ? ', delivered_by = ?' : ''}`,
        'AND device_id = ?',
      )
    this.#acknowledged = {
      DELIVERED: acknowledged('DELIVERED'),
      COMPLETED: acknowledged('COMPLETED'),
      COMPLETED_WITH_ERROR: acknowledged('COMPLETED_WITH_ERROR'),
    }
  }

  /** @param by the message that takes its place */
  superseded(id: number, by: number, atMs: number): Step {
    return [this.#superseded, atMs, by, id]
  }

  cancelled(id: number, by: string | null, atMs: number): Step {
    return [this.#cancelled, atMs, by, id]
  }

  handOver(id: number, atMs: number): Step {
    return [this.#handOver, atMs, atMs, id]
  }

  handOverFailed(id: number, atMs: number): Step {
    return [this.#handOverFailed, atMs, atMs, id]
  }

  acknowledged(status: AckStatus, id: number, deviceId: string, by: string | null, atMs: number): Step {
    const statement = this.#acknowledged[status]
    if (status === 'DELIVERED') return [statement, atMs, atMs, by, by, id, deviceId]
    return [statement, atMs, atMs, by, id, deviceId]
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
