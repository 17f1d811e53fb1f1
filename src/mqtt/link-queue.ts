/**
 * Queues messages to another node. A node that reads slowly loses the oldest messages, and delays no other node. Knows
 * no topics.
 */
import type { NodeTraffic } from '../transport/node-traffic.ts'
import type { MqttConnection } from './connection.ts'

export const LINK_LIMITS = {
  /** Maximum bytes and messages queued for one node. */
  queueBytes: 4_194_304,
  queueMessages: 10_000,
  /** Bytes that are written before the queue waits until they have left this process. */
  writeBytes: 65_536,
} as const

export type LinkConnection = Pick<MqttConnection, 'send' | 'sent'>

export class LinkQueue {
  readonly #connection: LinkConnection
  readonly #traffic: NodeTraffic
  #packets: Uint8Array[] = []
  #bytes = 0
  #isSending = false

  constructor(connection: LinkConnection, traffic: NodeTraffic) {
    this.#connection = connection
    this.#traffic = traffic
  }

  push(packet: Uint8Array): void {
    this.#packets.push(packet)
    this.#bytes += packet.length
    const { queueBytes, queueMessages } = LINK_LIMITS
    while (this.#packets.length > 1 && (this.#bytes > queueBytes || this.#packets.length > queueMessages)) {
      this.#take()
      this.#traffic.dropped++
    }
    if (!this.#isSending) void this.#send()
  }

  async #send(): Promise<void> {
    this.#isSending = true
    let isOpen = true
    while (isOpen && this.#packets.length > 0) {
      for (let bytes = 0; bytes < LINK_LIMITS.writeBytes && this.#packets.length > 0; ) {
        const packet = this.#take()
        bytes += packet.length
        this.#traffic.sent++
        this.#connection.send(packet)
      }
      isOpen = await this.#connection.sent()
    }
    this.#traffic.dropped += this.#packets.length
    this.#packets = []
    this.#bytes = 0
    this.#isSending = false
  }

  #take(): Uint8Array {
    const packet = this.#packets.shift() as Uint8Array
    this.#bytes -= packet.length
    return packet
  }
}
