/** Reports the events of the store to this node's listeners, and turns rows of changes into what the contract promises. */
import { replyToOf } from '../../broker/message.ts'
import type { TransitionName } from '../../broker/status.ts'
import type { StoreEvent, TransitionDetails, Transitioned } from '../../broker/store.ts'
import { CAUSE_CODES, STATUS_CODES } from './codes.ts'
import { fromText } from './text.ts'

/** A change of a status as `apply_moves` returns it: the type `moved`. */
export interface MovedRow {
  readonly id: number
  readonly name: TransitionName
  readonly device_id: string
  readonly status: number
  readonly cause: number
  readonly tmp_id: number | null
  readonly producer_id: string | null
  readonly details: TransitionDetails | null
  /** Number of all attempts. */
  readonly attempts: number
  readonly created_at_ms: number
  readonly changed_at_ms: number
  readonly finish_at_ms: number | null
  readonly expires_at_ms: number | null
  readonly has_finish: boolean
  readonly is_first_delivery: boolean
}

export class StoreEvents {
  readonly #listeners = new Set<(event: StoreEvent) => void>()

  watch(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: StoreEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** Reports changes that this node made. Returns them for the caller, who announces them. */
  moved(rows: readonly MovedRow[]): Transitioned[] {
    return rows.map((row) => {
      this.#reportQueue(row)
      return toTransitioned(row)
    })
  }

  /** Reports what a change means for the queue and for the deadlines, on every node. */
  #reportQueue(row: MovedRow): void {
    const { id: messageId, status, changed_at_ms: nowMs } = row
    const deviceId = fromText(row.device_id)
    const finishMs = row.finish_at_ms === null ? null : row.finish_at_ms - nowMs
    if (row.has_finish && (finishMs !== null || status !== STATUS_CODES.of('NOT_DELIVERED')))
      this.emit({ is: 'unfinished', deviceId, messageId, forMs: finishMs })
    if (finishMs !== null) this.emit({ is: 'deadline', inMs: finishMs })
    if (status !== STATUS_CODES.of('NOT_DELIVERED')) this.emit({ is: 'removed', deviceId, messageId })
    else {
      this.emit({ is: 'added', deviceId })
      if (row.expires_at_ms !== null) this.emit({ is: 'deadline', inMs: row.expires_at_ms - nowMs })
    }
  }
}

export function toTransitioned(
  row: Pick<MovedRow, 'id' | 'device_id' | 'status' | 'cause' | 'tmp_id' | 'producer_id' | 'details'>,
): Transitioned {
  const { id: messageId, details } = row
  const deviceId = fromText(row.device_id)
  return {
    ...{ messageId, deviceId },
    status: STATUS_CODES.name(row.status),
    cause: CAUSE_CODES.name(row.cause),
    replyTo: replyToOf({ producerId: fromText(row.producer_id), correlationId: row.tmp_id }),
    details: details && { ...details, reason: fromText(details.reason), result: fromText(details.result) },
  }
}
