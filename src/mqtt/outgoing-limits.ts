/**
 * Enforces the limits that a client of version 5 announces in CONNECT: the maximum packet size, and the receive
 * maximum. Only connections whose client announced a limit have an instance. Knows no sockets.
 */
import { type Frame, PUBLISH, qosOf } from './packet-validator.ts'
import { fixedHeader } from './packets.ts'

export interface OutgoingLimitsOptions {
  /** Maximum QoS 1 and QoS 2 messages that the client has not acknowledged (section 3.1.2.11.3). */
  readonly receiveMaximum: number
  /** Maximum bytes of a packet (section 3.1.2.11.4). */
  readonly maximumPacketSize: number
  /** Receives the bytes of whole packets that the client accepts now. */
  readonly write: (bytes: Buffer) => void
  /** Called for each packet that is too large and therefore dropped. @param messageId packet identifier of a PUBLISH */
  readonly onDropped: (bytes: number, messageId: number | null) => void
}

const PUBREC = 5

export class OutgoingLimits {
  readonly #options: OutgoingLimitsOptions
  readonly #inFlight = new Set<number>()
  /** Messages queued by the receive maximum, oldest first. */
  readonly #held: Buffer[] = []
  /** Start of an incomplete packet. */
  #begun: Buffer = Buffer.alloc(0)
  #heldBytes = 0

  constructor(options: OutgoingLimitsOptions) {
    this.#options = options
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  accepts(bytes: number): boolean {
    return bytes <= this.#options.maximumPacketSize
  }

  /** Processes bytes that the server writes. They may begin or end within a packet. */
  write(bytes: Uint8Array): void {
    let rest = this.#begun.length > 0 ? Buffer.concat([this.#begun, bytes]) : Buffer.from(bytes)
    for (let header = fixedHeader(rest); header && header.end <= rest.length; header = fixedHeader(rest)) {
      this.#packet(rest.subarray(0, header.end), header.start)
      rest = rest.subarray(header.end)
    }
    this.#begun = rest
  }

  /** Processes a packet of the client. An acknowledgement releases the next message. */
  received({ type, bytes, start }: Frame): void {
    // A PUBREC without an error is followed by PUBREL and PUBCOMP. PUBCOMP frees the identifier.
    if (type === PUBREC && (bytes[start + 2] ?? 0) < 0x80) return
    if (!this.#inFlight.delete(bytes.readUInt16BE(start))) return
    const next = this.#held.shift()
    if (!next) return
    this.#heldBytes -= next.length
    this.#publish(next)
  }

  #packet(bytes: Buffer, start: number): void {
    const { maximumPacketSize, receiveMaximum, write, onDropped } = this.#options
    const type = (bytes[0] as number) >> 4
    const isCounted = type === PUBLISH && qosOf(bytes) > 0
    if (bytes.length > maximumPacketSize) {
      onDropped(bytes.length, isCounted ? identifierOf(bytes, start) : null)
    } else if (!isCounted) {
      write(bytes)
    } else if (this.#inFlight.size < receiveMaximum) {
      this.#publish(bytes)
    } else {
      this.#held.push(bytes)
      this.#heldBytes += bytes.length
    }
  }

  #publish(bytes: Buffer): void {
    this.#inFlight.add(identifierOf(bytes, fixedHeader(bytes)?.start ?? 0))
    this.#options.write(bytes)
  }
}

/** Reads the packet identifier, which follows the topic of a PUBLISH. */
function identifierOf(bytes: Buffer, start: number): number {
  return bytes.readUInt16BE(start + 2 + bytes.readUInt16BE(start))
}
