import type { AuditEntry } from '../../../audit/audit.ts'
import type { Enqueued, QueueLimits, Transitioned } from '../../../broker/contract/store.ts'
import type { StoreCounts } from '../../../broker/contract/store-metrics.ts'
import { type NewMessage, replyToOf } from '../../../broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS } from '../../../broker/vocabulary/report-table.ts'
import { decodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { PostgresAudit } from '../records/audit.ts'
import {
  type EnqueueCall,
  enqueueCall,
  enqueueKeys,
  type RefusedAnswer,
  refusal,
  type StoredAnswer,
} from './enqueue-answers.ts'
import { countMove } from './move-counts.ts'
import type { StoreEvents } from './store-events.ts'

export class Enqueues {
  readonly #events: StoreEvents
  readonly #counts: StoreCounts
  readonly #audit: PostgresAudit
  readonly #enqueue: (call: EnqueueCall) => Promise<StoredAnswer | RefusedAnswer>

  constructor({ verbs, events, counts, audit }: PostgresParts) {
    this.#events = events
    this.#counts = counts
    this.#audit = audit
    this.#enqueue = verbs.write<EnqueueCall, StoredAnswer | RefusedAnswer>({
      name: 'enqueue',
      keysOf: enqueueKeys,
      onLate: (call, answer) => this.#reportLate(call, answer),
    })
  }

  async enqueue(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null): Promise<Enqueued> {
    const call = enqueueCall(message, limits, audit)
    const answer = await this.#enqueue(call)
    if ('error' in answer) throw refusal(answer, message, call.bytes, limits)
    const { id, replayed = false, line = null } = answer
    const cancelled = this.#report(call, answer)
    this.#audit.added(audit, line, { messageId: id })
    return { id, replayed, cancelled }
  }

  /** Reports a stored message, and the messages that it cancelled. */
  #report(call: EnqueueCall, { replayed, moved, withdrawn }: StoredAnswer): Transitioned[] {
    if (replayed) return []
    const { device_id, valid_seconds } = call
    const rows = moved ?? []
    for (const row of rows) countMove(this.#counts, row)
    for (const transport of withdrawn ?? []) this.#counts.attemptEnded(transport, 'WITHDRAWN')
    const cancelled = this.#events.moved(rows)
    this.#events.emit({ is: 'added', deviceId: decodeText(device_id) })
    if (valid_seconds !== null) this.#events.emit({ is: 'deadline', inMs: valid_seconds * 1_000 })
    return cancelled
  }

  /** Reports changes that the caller will not announce, because it got an error. */
  #reportLate(call: EnqueueCall, answer: StoredAnswer | RefusedAnswer): void {
    if ('error' in answer) return
    const cancelled = this.#report(call, answer)
    const changes = answer.replayed ? cancelled : [storedBy(call, answer.id), ...cancelled]
    for (const transition of changes) this.#events.emit({ is: 'transitioned', transition })
  }
}

function storedBy(call: EnqueueCall, messageId: number): Transitioned {
  const { device_id, producer_id, tmp_id, details } = call
  return {
    messageId,
    deviceId: decodeText(device_id),
    status: 'NOT_DELIVERED',
    cause: 'STORED',
    order: null,
    replyTo: replyToOf({ producerId: decodeText(producer_id), correlationId: tmp_id }),
    details: details ? { ...NO_REPORT_TEXTS, result: null, attempts: 0, atMs: Date.now() } : null,
  }
}
