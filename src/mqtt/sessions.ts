/**
 * Keeps the sessions of MQTT clients between connections, in memory and within limits: subscriptions, messages that are
 * not acknowledged or not sent, retained messages. Commands are not kept here, since the broker has queues for them.
 */
import { Readable } from 'node:stream'
import type { AedesPublishPacket, Client, Subscription } from 'aedes'
import MemoryPersistence from 'aedes-persistence/asyncPersistence.js'
import { isCommand } from './topics.ts'

export const SESSION_LIMITS = {
  /** Maximum bytes of the queued messages of one client. Further messages are dropped. */
  queueBytes: 1_048_576,
  /** Maximum bytes of all retained messages. Further topics are not retained. */
  retainedBytes: 16_777_216,
} as const

interface Queue {
  bytes: number
  readonly packets: AedesPublishPacket[]
}

/** Values by client id, then by packet identifier. */
type Received<T> = Map<string, Map<number, T>>

export interface SessionsOptions {
  /** Tells whether a client may subscribe to a filter. The library would keep refused filters too. */
  readonly maySubscribe: (client: Client, filter: string) => boolean
}

export class Sessions extends MemoryPersistence {
  readonly #maySubscribe: SessionsOptions['maySubscribe']
  readonly #queues = new Map<string, Queue>()
  /** Results of QoS 2 messages between PUBLISH and PUBREL. */
  readonly #handled: Received<Promise<unknown>> = new Map()
  /** Packets of the same messages, for the library. */
  readonly #incoming: Received<AedesPublishPacket> = new Map()
  readonly #retained = new Map<string, number>()
  #retainedBytes = 0

  constructor({ maySubscribe }: SessionsOptions) {
    super()
    this.#maySubscribe = maySubscribe
  }

  /** Handles a QoS 2 message once, however often the client sends it before PUBREL [MQTT-4.3.3-2]. */
  once<T>(clientId: string, messageId: number, handle: () => Promise<T>): Promise<T> {
    const known = this.#handled.get(clientId)?.get(messageId)
    if (known) return known as Promise<T>
    const result = handle()
    put(this.#handled, clientId, messageId, result)
    return result
  }

  /** Forgets a QoS 2 message that was refused or completed, so that its identifier can be used again. */
  forgetMessage(clientId: string, messageId: number): void {
    remove(this.#handled, clientId, messageId)
    remove(this.#incoming, clientId, messageId)
  }

  /** Drops the queue and the QoS 2 messages of a session that ends. */
  forget(clientId: string): void {
    this.#queues.delete(clientId)
    this.#handled.delete(clientId)
    this.#incoming.delete(clientId)
  }

  override addSubscriptions(client: Client, subscriptions: Subscription[]): Promise<void> {
    return super.addSubscriptions(
      client,
      subscriptions.filter(({ topic }) => this.#maySubscribe(client, topic)),
    )
  }

  /** Drops an earlier session, since a clean session begins without its state [MQTT-3.1.2-6]. */
  override cleanSubscriptions(client: Client): Promise<void> {
    this.forget(client.id)
    return super.cleanSubscriptions(client)
  }

  override async storeRetained(packet: AedesPublishPacket): Promise<void> {
    const before = this.#retained.get(packet.topic) ?? 0
    const bytes = packet.payload.length === 0 ? 0 : bytesOf(packet)
    if (bytes > 0 && this.#retainedBytes - before + bytes > SESSION_LIMITS.retainedBytes) return
    this.#retainedBytes += bytes - before
    if (bytes > 0) this.#retained.set(packet.topic, bytes)
    else this.#retained.delete(packet.topic)
    await super.storeRetained(packet)
  }

  override async outgoingEnqueueCombi(
    subscriptions: { clientId: string }[],
    packet: AedesPublishPacket,
  ): Promise<void> {
    if (isCommand(packet.topic)) return
    for (const { clientId } of subscriptions) this.#enqueue(clientId, packet)
  }

  override async outgoingEnqueue(
    { clientId }: { clientId: string },
    packet: AedesPublishPacket,
  ): Promise<void> {
    if (!isCommand(packet.topic)) this.#enqueue(clientId, packet)
  }

  /** Sets the packet identifier of a queued message, or replaces the message by its PUBREL. Ignores any other message. */
  override async outgoingUpdate({ id }: Client, packet: AedesPublishPacket): Promise<void> {
    const packets = this.#queues.get(id)?.packets ?? []
    const isPubrel = (packet.cmd as string) === 'pubrel'
    const at = packets.findIndex((each) =>
      isPubrel ? each.messageId === packet.messageId : each.brokerCounter === packet.brokerCounter,
    )
    const found = packets[at]
    if (!found) return
    if (isPubrel) packets[at] = { ...packet, topic: found.topic, payload: found.payload }
    else found.messageId = packet.messageId
  }

  override async outgoingClearMessageId(
    { id }: Client,
    { messageId }: Pick<AedesPublishPacket, 'messageId'>,
  ): Promise<AedesPublishPacket | undefined> {
    const queue = this.#queues.get(id)
    const at = queue?.packets.findIndex((each) => each.messageId === messageId) ?? -1
    if (!queue || at < 0) return undefined
    const [cleared] = queue.packets.splice(at, 1) as [AedesPublishPacket]
    queue.bytes -= bytesOf(cleared)
    if (queue.packets.length === 0) this.#queues.delete(id)
    return cleared
  }

  override outgoingStream({ id }: Client): Readable {
    return Readable.from([...(this.#queues.get(id)?.packets ?? [])])
  }

  override async incomingStorePacket({ id }: Client, packet: AedesPublishPacket): Promise<void> {
    put(this.#incoming, id, packet.messageId as number, packet)
  }

  override async incomingGetPacket({ id }: Client, { messageId }: AedesPublishPacket) {
    const packet = this.#incoming.get(id)?.get(messageId as number)
    if (!packet) throw new Error('the packet identifier is unknown')
    return packet
  }

  override async incomingDelPacket({ id }: Client, { messageId }: AedesPublishPacket): Promise<void> {
    this.forgetMessage(id, messageId as number)
  }

  #enqueue(clientId: string, packet: AedesPublishPacket): void {
    const queue = this.#queues.get(clientId) ?? { bytes: 0, packets: [] }
    const bytes = bytesOf(packet)
    if (queue.bytes + bytes > SESSION_LIMITS.queueBytes) return
    this.#queues.set(clientId, queue)
    queue.bytes += bytes
    // RETAIN is set only in messages that a new subscription receives [MQTT-3.3.1-9].
    queue.packets.push({ ...packet, retain: false, messageId: undefined })
  }
}

/** Returns the bytes of a packet in memory. 256 is an estimate for all but its topic and payload. */
function bytesOf({ topic, payload }: AedesPublishPacket): number {
  return topic.length + payload.length + 256
}

function put<T>(received: Received<T>, clientId: string, messageId: number, value: T): void {
  const own = received.get(clientId) ?? new Map<number, T>()
  received.set(clientId, own.set(messageId, value))
}

function remove<T>(received: Received<T>, clientId: string, messageId: number): void {
  const own = received.get(clientId)
  own?.delete(messageId)
  if (own?.size === 0) received.delete(clientId)
}
