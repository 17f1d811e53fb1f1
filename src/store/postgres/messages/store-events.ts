/**
 * Reports the events of the store to this node's listeners, and converts rows of changes to the form of the contract.
 */

import type { DeviceService } from '../../../broker/contract/device-service.ts'
import type {
  MessageStore,
  StoreEvent,
  TransitionDetails,
  Transitioned,
} from '../../../broker/contract/store.ts'
import { type StoreListener, StoreListeners } from '../../../broker/contract/store-listeners.ts'
import { ChangeOrder } from '../../../broker/vocabulary/change-order.ts'
import { replyToOf } from '../../../broker/vocabulary/message.ts'
import type { TransitionName } from '../../../broker/vocabulary/status.ts'
import { decodeText } from '../database/text.ts'
import type { ChangeRow } from '../nodes/journal.ts'
import { CAUSE_CODES, STATUS_CODES } from '../schema/codes.ts'
import { decodeTexts } from '../schema/report.ts'

/** Status change as `apply_moves` returns it: the type `moved`. */
export interface MovedRow {
  readonly id: number
  readonly name: TransitionName
  readonly device_id: string
  readonly status: number
  readonly cause: number
  readonly tmp_id: number | null
  readonly producer_id: string | null
  readonly details: TransitionDetails | null
  readonly attempts: number
  readonly created_at_ms: number
  readonly changed_at_ms: number
  readonly finish_at_ms: number | null
  readonly expires_at_ms: number | null
  readonly has_finish: boolean
  readonly is_first_delivery: boolean
  /** Number of the change, which grows with each change of the message. */
  readonly seq: number
}

export class StoreEvents {
  readonly #listeners = new StoreListeners()
  /** Changes of messages by id; pauses and times out of service by device. */
  readonly #changes = new ChangeOrder<number>()
  readonly #pauses = new ChangeOrder<string>()
  readonly #services = new ChangeOrder<string>()

  watch(listener: StoreListener): () => void {
    return this.#listeners.add(listener)
  }

  emit(event: StoreEvent): void {
    this.#listeners.report(event)
  }

  /** Reports changes by this node. Returns them for the caller, who announces them. */
  moved(rows: readonly MovedRow[]): Transitioned[] {
    return rows.map((row) => {
      this.#reportQueue(row)
      return toTransitioned(row)
    })
  }

  /** Reports a change by another node, which no caller of this node announces. */
  journalled(row: ChangeRow, nowMs: number): void {
    const { subject, message_id: messageId, status, cause, until_ms: untilMs, tmp_id, producer_id } = row
    if (messageId === null || status === null || cause === null) return
    const deviceId = decodeText(subject)
    const inMs = untilMs === null ? null : Math.max(0, untilMs - nowMs)
    const isNewest = this.#changes.isNewest(messageId, row.seq)
    if (status === STATUS_CODES.of('NOT_DELIVERED')) this.emit({ is: 'added', deviceId })
    else {
      // The row does not say whether a finish deadline was running. Ending none changes nothing.
      if (isNewest) this.emit({ is: 'unfinished', deviceId, messageId, forMs: inMs })
      this.emit({ is: 'removed', deviceId, messageId })
    }
    if (inMs !== null) this.emit({ is: 'deadline', inMs })
    const details = row.content as TransitionDetails | null
    const { seq } = row
    const change = { id: messageId, device_id: subject, status, cause, tmp_id, producer_id, details, seq }
    const ownLimit = row.has_own_limit ? { hasOwnLimit: true as const } : {}
    this.emit({ is: 'transitioned', transition: toTransitioned(change), ...ownLimit })
  }

  /** Reports the pause that a device requested at another node. */
  journalledPause({ subject, seq, until_ms: untilMs, content: wholeMs }: ChangeRow, nowMs: number): void {
    const restMs = Math.min((untilMs ?? nowMs) - nowMs, wholeMs as number)
    this.paused(decodeText(subject), Math.max(0, restMs), seq)
  }

  /** Reports a pause, unless a newer pause of the device is known. @param seq number of the change */
  paused(deviceId: string, forMs: number, seq: number): void {
    if (this.#pauses.isNewest(deviceId, seq)) this.emit({ is: 'busy', deviceId, forMs })
  }

  /** Reports a change of the service of a device, unless a newer change is known. @param seq number of the change */
  serviceChanged(deviceId: string, service: DeviceService | null, seq: number): void {
    if (this.#services.isNewest(deviceId, seq)) this.emit({ is: 'service', deviceId, service })
  }

  /** Reports the current state of a store, after changes of other nodes may have been missed. */
  async reportState(
    store: Pick<MessageStore, 'deviceSettings' | 'busyDevices' | 'devicesOutOfService' | 'pendingDevices'>,
  ) {
    for (const [deviceId, settings] of await store.deviceSettings())
      this.emit({ is: 'settings', deviceId, settings })
    for (const [deviceId, forMs] of await store.busyDevices()) this.emit({ is: 'busy', deviceId, forMs })
    for (const [deviceId, service] of await store.devicesOutOfService())
      this.emit({ is: 'service', deviceId, service })
    for (const deviceId of await store.pendingDevices()) this.emit({ is: 'added', deviceId })
    this.emit({ is: 'deadline', inMs: 0 })
  }

  /** Reports the effects of a change on the queue and the deadlines, on every node. */
  #reportQueue(row: MovedRow): void {
    const { id: messageId, status, changed_at_ms: nowMs } = row
    const deviceId = decodeText(row.device_id)
    const finishMs = row.finish_at_ms === null ? null : row.finish_at_ms - nowMs
    const isNewest = this.#changes.isNewest(messageId, row.seq)
    if (isNewest && row.has_finish && (finishMs !== null || status !== STATUS_CODES.of('NOT_DELIVERED')))
      this.emit({ is: 'unfinished', deviceId, messageId, forMs: finishMs })
    if (finishMs !== null) this.emit({ is: 'deadline', inMs: finishMs })
    if (status !== STATUS_CODES.of('NOT_DELIVERED')) this.emit({ is: 'removed', deviceId, messageId })
    else {
      this.emit({ is: 'added', deviceId })
      if (row.expires_at_ms !== null) this.emit({ is: 'deadline', inMs: row.expires_at_ms - nowMs })
    }
  }
}

/** Builds a change as a literal: each node builds one per change of any node, and a copy with `...` took 11 us. */
export function toTransitioned(
  row: Pick<MovedRow, 'id' | 'device_id' | 'status' | 'cause' | 'tmp_id' | 'producer_id' | 'details' | 'seq'>,
): Transitioned {
  return {
    messageId: row.id,
    deviceId: decodeText(row.device_id),
    status: STATUS_CODES.name(row.status),
    cause: CAUSE_CODES.name(row.cause),
    replyTo: replyToOf({ producerId: decodeText(row.producer_id), correlationId: row.tmp_id }),
    details: detailsOf(row.details),
    order: row.seq,
  }
}

function detailsOf(details: TransitionDetails | null): TransitionDetails | null {
  if (details === null) return null
  return { ...details, ...decodeTexts(details), result: decodeText(details.result) }
}
