/**
 * Handles the commands and acknowledgements of one connection past the library: what comes in goes to the broker at
 * once, what goes out is one write. The library handles everything else. Knows no sockets.
 */

import { nextPacketId, type Peer, resetKeepAlive, type SuppressedPublish } from './aedes-internals.ts'
import { type Frame, PUBACK, PUBLISH, qosOf } from './packet-validator.ts'
import { publish } from './packets.ts'
import { isForBroker } from './topics.ts'

export interface FastPathOptions {
  readonly peer: Peer
  /** Decides on a PUBLISH for the broker and answers it. Calls come in the order of arrival. */
  readonly authorize: (peer: Peer, packet: SuppressedPublish, done: () => void) => void
}

export class FastPath {
  readonly #options: FastPathOptions
  /** Packet identifiers of commands that the client has not acknowledged by PUBACK. */
  readonly #sent = new Set<number>()

  constructor(options: FastPathOptions) {
    this.#options = options
  }

  /** Handles a packet, then calls `done`. Returns false, without that call, for a packet of the library. */
  handle(frame: Frame, done: () => void): boolean {
    const { peer, authorize } = this.#options
    if (frame.type === PUBACK) {
      // It says no more than that the packet identifier is free (section 4.3.2): the device's own answer counts.
      if (!this.#sent.delete(frame.bytes.readUInt16BE(frame.start))) return false
      resetKeepAlive(peer)
      done()
      return true
    }
    const packet = frame.type === PUBLISH ? publishOf(frame) : null
    if (packet === null) return false
    resetKeepAlive(peer)
    authorize(peer, packet, done)
    return true
  }

  /** Builds the PUBLISH of a command; returns null where the library has to build it. @param qos 0 or 1 */
  command(topic: string, payload: string, qos: number): Buffer | null {
    const { peer } = this.#options
    // Version 5 has properties that depend on the subscription.
    if (peer.version >= 5 || (qos !== 0 && qos !== 1)) return null
    if (qos === 0) return publish(topic, payload, null)
    const messageId = nextPacketId(peer)
    this.#sent.add(messageId)
    return publish(topic, payload, messageId)
  }
}

/** Reads a PUBLISH for the broker, of QoS 0 or 1, without properties; returns null for any other. */
function publishOf({ bytes, start, level }: Frame): SuppressedPublish | null {
  const qos = qosOf(bytes)
  if (qos !== 0 && qos !== 1) return null
  let at = start + 2 + bytes.readUInt16BE(start)
  const topic = bytes.toString('utf8', start + 2, at)
  if (!isForBroker(topic)) return null
  const messageId = qos === 0 ? undefined : bytes.readUInt16BE(at)
  if (qos === 1) at += 2
  if (level >= 5 && bytes[at++] !== 0) return null
  const dup = ((bytes[0] as number) & 8) !== 0
  const packet: SuppressedPublish = {
    cmd: 'publish',
    topic,
    payload: bytes.subarray(at),
    qos,
    dup,
    retain: false,
  }
  if (messageId !== undefined) packet.messageId = messageId
  return packet
}
