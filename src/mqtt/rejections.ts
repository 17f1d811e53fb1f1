/** Records the rejections of MQTT clients for operators. Knows no access control and no packets. */
import type { RejectionReason } from '../broker/views/rejection-log.ts'
import type { TransportServices } from '../transport/transport.ts'
import type { Peer } from './aedes-internals.ts'
import { addressOf, clientOf } from './connection.ts'
import type { LimitLog } from './limit-log.ts'
import { givenId, type SessionFields, sessionFields } from './session-id.ts'
import { SESSION_LIMITS } from './session-states.ts'
import { SUBSCRIPTION_LIMITS } from './subscription-quota.ts'

export interface MqttRejectionsOptions {
  readonly name: string
  readonly rejections: TransportServices['rejections']
  readonly limits: LimitLog
}

export class MqttRejections {
  readonly #options: MqttRejectionsOptions

  constructor(options: MqttRejectionsOptions) {
    this.#options = options
  }

  /** @param peer null for a will whose connection has closed */
  record(peer: Peer | null, reason: RejectionReason, message: string, code?: string): void {
    const { name, rejections } = this.#options
    rejections.record({
      reason,
      message,
      code,
      deviceId: (peer && clientOf(peer)?.id) ?? null,
      clientId: (peer?.id && givenId(peer.id)) || null,
      address: peer ? addressOf(peer) : '',
      transport: name,
    })
  }

  /** Records a filter beyond the quota of its connection. */
  filterBeyondQuota(peer: Peer, filter: string): void {
    const { filters, characters, levels } = SUBSCRIPTION_LIMITS
    const message = `A connection may have ${filters} topic filters of together ${characters} characters, each of at most ${levels} levels. Use filters with wildcards.`
    const { limits } = this.#options
    limits.hit('topic filters', { ...namesOf(peer), filter }, `A filter was refused. ${message}`)
    this.record(peer, 'TOPIC_NOT_ALLOWED', message)
  }

  /** Records that a connection ends because of too many unreleased QoS 2 messages. Returns the sentence about it. */
  tooManyUnreleased(peer: Peer): string {
    const message = `The client has ${SESSION_LIMITS.unreleased} messages of QoS 2 that it did not release. It must answer PUBREC by PUBREL.`
    this.#options.limits.hit('unreleased messages', namesOf(peer), `A connection was ended. ${message}`)
    this.record(peer, 'PROTOCOL_ERROR', message)
    return message
  }
}

export function namesOf(peer: Peer): SessionFields {
  return sessionFields(peer.id, clientOf(peer)?.id)
}
