/**
 * Handles the commands and acknowledgements of one connection without the library: incoming messages go straight to the
 * broker, and an outgoing command is one write. The library handles all other packets. Knows no sockets.
 */
import { nextPacketId, type Peer, resetKeepAlive, type SuppressedPublish } from './aedes-internals.ts'
import { type Frame, PUBACK, PUBLISH, qosOf } from './packet-validator.ts'
import { disconnect, publish } from './packets.ts'
import { REASON } from './protocol-violation.ts'
import { isForBroker } from './topics.ts'

/** Message of the library's error when the keep-alive expires. */
const LATE = 'keep alive timeout'

export interface FastPathOptions {
  readonly peer: Peer
  /** Authorizes and acknowledges a PUBLISH for the broker. Called in the order of arrival. */
  readonly authorize: (peer: Peer, packet: SuppressedPublish, done: () => void) => void
}

export class FastPath {
  readonly #options: FastPathOptions
  /** Packet identifiers of commands without PUBACK. */
  readonly #sent = new Set<number>()

  constructor(options: FastPathOptions) {
    this.#options = options
  }

  /**
   * Handles a packet, then calls `done`. Returns false without calling `done` if the library has to handle the packet.
   */
  handle(frame: Frame, done: () => void): boolean {
    const { peer, authorize } = this.#options
    if (frame.type === PUBACK) {
      // PUBACK only frees the packet identifier (section 4.3.2). The device acknowledges the command by a PUBLISH.
      if (!this.#sent.delete(frame.bytes.readUInt16BE(frame.start))) return false
      resetKeepAlive(peer)
      done()
      return true
    }
    const packet = frame.type === PUBLISH ? parsePublish(frame) : null
    if (packet === null) return false
    resetKeepAlive(peer)
    authorize(peer, packet, done)
    return true
  }

  /**
   * Builds the DISCONNECT that tells the client why the library ends the connection; returns null before version 5,
   * which has none.
   */
  farewell(error: Error): Uint8Array | null {
    const { KEEP_ALIVE_TIMEOUT, MALFORMED } = REASON
    return this.disconnect(error.message === LATE ? KEEP_ALIVE_TIMEOUT : MALFORMED)
  }

  /** Builds a DISCONNECT with a reason code; returns null before version 5, which has none. */
  disconnect(reasonCode: number): Uint8Array | null {
    return this.#options.peer.version < 5 ? null : disconnect(reasonCode)
  }

  /** Builds the PUBLISH of a command; returns null if the library has to build it (version 5, or QoS 2). */
  command(topic: string, payload: string, qos: number): Buffer | null {
    const { peer } = this.#options
    // The properties of version 5 depend on the subscription.
    if (peer.version >= 5 || (qos !== 0 && qos !== 1)) return null
    if (qos === 0) return publish(topic, payload, null)
    const messageId = nextPacketId(peer)
    this.#sent.add(messageId)
    return publish(topic, payload, messageId)
  }
}

/** Parses a PUBLISH for the broker with QoS 0 or 1 and no properties; returns null for any other packet. */
function parsePublish({ bytes, start, level }: Frame): SuppressedPublish | null {
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
