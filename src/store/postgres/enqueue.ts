/** Stores messages. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { NewMessage } from '../../broker/message.ts'
import type { Enqueued, QueueLimits } from '../../broker/store.ts'
import { GUARANTEE_CODES } from './codes.ts'
import type { PostgresParts } from './parts.ts'
import type { StoreEvents } from './store-events.ts'
import { toText } from './text.ts'
import { SHARED } from './verbs.ts'

interface EnqueueCall {
  readonly device_id: string
}

interface EnqueueResult {
  readonly id: number
}

export class Enqueues {
  readonly #events: StoreEvents
  readonly #enqueue: (call: EnqueueCall) => Promise<EnqueueResult>

  constructor({ verbs, events }: PostgresParts) {
    this.#events = events
    this.#enqueue = verbs.write<EnqueueCall, EnqueueResult>({
      ...{ name: 'enqueue', lanes: 2, shardOf: ({ device_id }) => device_id, keysOf: () => SHARED },
    })
  }

  async enqueue(message: NewMessage, _limits: QueueLimits, _audit: AuditEntry | null): Promise<Enqueued> {
    const { deviceId, command, guarantee, data, replyTo, senderId, details, terms } = message
    const { id } = await this.#enqueue({
      device_id: deviceId,
      command: toText(command),
      guarantee: GUARANTEE_CODES.of(guarantee),
      data: toText(data),
      bytes: Buffer.byteLength(command) + Buffer.byteLength(data),
      tmp_id: replyTo?.correlationId ?? null,
      producer_id: toText(replyTo?.producerId ?? null),
      sender_id: toText(senderId),
      has_terms: terms !== null,
      details,
      valid_seconds: terms?.validSeconds ?? null,
      delay_seconds: terms?.delaySeconds ?? null,
      finish_seconds: terms?.finishSeconds ?? null,
      max_attempts: terms?.maxAttempts ?? null,
    } as EnqueueCall)
    this.#events.emit({ is: 'added', deviceId })
    if (terms?.validSeconds) this.#events.emit({ is: 'deadline', inMs: terms.validSeconds * 1000 })
    return { id, replayed: false, cancelled: [] }
  }
}
