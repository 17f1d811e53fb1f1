/** Counts the QoS 2 messages that a client has begun to send and not released. Knows no sockets. */
import { type Frame, PUBLISH, qosOf } from './packet-validator.ts'
import { type ProtocolViolation, REASON, violation } from './protocol-violation.ts'

/**
 * Maximum messages that a client may send before their acknowledgement (MQTT 5 section 3.2.2.3.3), announced in CONNACK. Only
 * those of QoS 2 are counted: the server acknowledges QoS 1 by itself and stops reading meanwhile.
 */
export const RECEIVE_MAXIMUM = 1_000

const PUBREL = 6

export class ReceiveWindow {
  readonly #open = new Set<number>()

  /** Handles a packet of a client of version 5. Returns the violation if the client has begun too many messages. */
  received({ type, bytes, start }: Frame): ProtocolViolation | null {
    if (type === PUBREL) this.#open.delete(bytes.readUInt16BE(start))
    if (type !== PUBLISH || qosOf(bytes) !== 2) return null
    this.#open.add(bytes.readUInt16BE(start + 2 + bytes.readUInt16BE(start)))
    if (this.#open.size <= RECEIVE_MAXIMUM) return null
    return violation(
      `more than ${RECEIVE_MAXIMUM} messages are not released`,
      REASON.RECEIVE_MAXIMUM_EXCEEDED,
    )
  }

  /** Forgets a message that the server has refused, since no PUBREL follows it. */
  refused(messageId: number): void {
    this.#open.delete(messageId)
  }
}
