/**
 * Implements the library's session storage in memory, within limits: subscriptions, unsent and unacknowledged messages,
 * retained messages. Commands are not kept here, because the broker has queues for them.
 */
import { Readable } from 'node:stream'
import type { AedesPublishPacket, Client, Subscription } from 'aedes'
import MemoryPersistence, { type AcknowledgedPacket } from 'aedes-persistence/asyncPersistence.js'
import type { HoldAccess } from '../auth/held.ts'
import { toRestored } from './aedes-internals.ts'
import type { LimitLog } from './limit-log.ts'
import { RETAINED_LIMITS, RetainedMessages } from './retained.ts'
import { sessionFields } from './session-id.ts'
import { SESSION_LIMITS, type SessionState, SessionStates, type UnreleasedMessage } from './session-states.ts'
import { isCommand } from './topics.ts'

const EXPIRY_CHECK_MS = 60_000

export interface SessionsOptions {
  /** Called for a session that ends because of a limit, so that the library removes it too. */
  readonly ended: (sessionId: string) => void
  /**
   * Called for a session that ends with the access of its client, so that the library removes it and its delayed will.
   */
  readonly accessEnded: (sessionId: string) => void
  /** Called when the subscriptions of a session have changed. SUBACK and UNSUBACK wait for the promise. */
  readonly changed?: (sessionId: string) => Promise<void>
  /** Called when a session has lost its subscriptions. */
  readonly cleaned?: (sessionId: string) => void
  /**
   * True if nodes share the retained messages: {@link Sessions.holdRetained} receives each message before it is
   * published.
   */
  readonly sharesRetained?: boolean
  readonly limits: LimitLog
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

/** Session, as named in calls of the library. */
type Session = Pick<Client, 'id'>

export class Sessions extends MemoryPersistence {
  readonly #options: SessionsOptions
  readonly #states: SessionStates
  readonly #retained = new RetainedMessages()
  /** Lists of subscriptions already stored: the library stores the whole list of a SUBSCRIBE once per member. */
  readonly #stored = new WeakMap<Subscription[], Promise<void>>()
  #subscriber: Client | null = null
  readonly #expiryCheck: NodeJS.Timeout

  constructor(options: SessionsOptions) {
    super()
    this.#options = options
    this.#states = new SessionStates({
      now: options.now,
      end: (sessionId) => {
        options.ended(sessionId)
        void this.cleanSubscriptions({ id: sessionId })
      },
      accessEnded: (sessionId) => {
        options.accessEnded(sessionId)
        void this.delWill({ id: sessionId })
        void this.cleanSubscriptions({ id: sessionId })
      },
      limited: (limit, state) => this.#limited(limit, state),
    })
    this.#expiryCheck = setInterval(() => this.#states.expire(), EXPIRY_CHECK_MS).unref()
  }

  /**
   * Opens or resumes the session of a connection.
   *
   * @param owner device id of the client
   * @param hold registers the session as a holder of the client's access
   */
  open(sessionId: string, owner: string, hold: HoldAccess): void {
    this.#states.open(sessionId, owner, hold)
  }

  /** Counts the topic filters of a session that {@link restore} added before the session was opened. */
  count(sessionId: string, filters: Iterable<string>): void {
    const state = this.#states.get(sessionId)
    if (state) for (const filter of filters) this.#states.addFilter(state, filter)
  }

  /** Keeps a session whose connection has ended, until it expires or exceeds a limit. */
  leave(sessionId: string): void {
    this.#states.leave(sessionId)
  }

  /** Removes the queue and the QoS 2 messages of a session that ends. */
  forget(sessionId: string): void {
    this.#states.delete(sessionId)
  }

  close(): void {
    clearInterval(this.#expiryCheck)
  }

  /**
   * Returns the state of a QoS 2 message between PUBLISH and PUBREL. Duplicates of the message get the same state
   * [MQTT-4.3.3-2]. Returns null if the session has too many unreleased messages.
   */
  receive(sessionId: string, messageId: number): UnreleasedMessage | null {
    const state = this.#states.get(sessionId)
    return state ? this.#states.receive(state, messageId) : null
  }

  /** Removes a QoS 2 message that was refused or completed, so that its identifier can be used again. */
  forgetMessage(sessionId: string, messageId: number): void {
    const state = this.#states.get(sessionId)
    if (state) this.#states.release(state, messageId)
  }

  override addSubscriptions(client: Client, subscriptions: Subscription[]): Promise<void> {
    const stored = this.#stored.get(subscriptions) ?? this.#addSubscriptions(client, subscriptions)
    this.#stored.set(subscriptions, stored)
    return stored
  }

  async #addSubscriptions(client: Client, subscriptions: Subscription[]): Promise<void> {
    const state = this.#states.get(client.id)
    if (state) for (const { topic } of subscriptions) this.#states.addFilter(state, topic)
    await super.addSubscriptions(client, subscriptions)
    await this.#options.changed?.(client.id)
  }

  override async removeSubscriptions(client: Session, filters: string[]): Promise<void> {
    const state = this.#states.get(client.id)
    if (state) for (const filter of filters) this.#states.removeFilter(state, filter)
    await super.removeSubscriptions(client, filters)
    await this.#options.changed?.(client.id)
  }

  /** Adds the subscriptions that a session had on another node. */
  async restore(client: Client, subscriptions: Subscription[]): Promise<void> {
    await super.addSubscriptions(client, subscriptions)
  }

  /** Returns the subscriptions of an earlier session in the form that the library can restore. */
  override async subscriptionsByClient(client: Session): Promise<Subscription[]> {
    return toRestored(await super.subscriptionsByClient(client))
  }

  keptSubscriptions(sessionId: string): Promise<Subscription[]> {
    return super.subscriptionsByClient({ id: sessionId })
  }

  /** Drops an earlier session, because a clean session begins without its state [MQTT-3.1.2-6]. */
  override cleanSubscriptions(client: Session): Promise<void> {
    this.forget(client.id)
    this.#options.cleaned?.(client.id)
    return super.cleanSubscriptions(client)
  }

  override async storeRetained(packet: AedesPublishPacket): Promise<void> {
    // The library removes an expired message by a packet without a broker id.
    if (!this.#options.sharesRetained || packet.brokerId === undefined) this.holdRetained(packet)
  }

  retainedTopics(): Iterable<string> {
    return this.#retained.topics()
  }

  /** Retains a message in memory alone. Returns false if a limit forbids it. */
  holdRetained(packet: AedesPublishPacket): boolean {
    if (this.#retained.store(packet)) return true
    const { messages, bytes } = RETAINED_LIMITS
    const message = `A message was not retained: the server retains at most ${messages} messages of together ${bytes} bytes. Publish an empty payload with RETAIN to topics that are not needed.`
    this.#options.limits.hit('retained messages', { topic: packet.topic }, message)
    return false
  }

  /** Records the last subscriber: the library asks for the retained messages right after its event `subscribe`. */
  subscribed(peer: Client): void {
    this.#subscriber = peer
  }

  /**
   * Resolves when a client with too many queued searches for retained messages may subscribe again; returns null if it
   * may now.
   */
  whenReady(peer: Client): Promise<void> | null {
    return this.#retained.whenReady(peer)
  }

  override createRetainedStreamCombi(filters: string[]): Readable {
    return Readable.from(this.#retained.matching(filters, this.#subscriber ?? this))
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

  /**
   * Sets the packet identifier of a queued message, or replaces the message by its PUBREL. Ignores any other message.
   */
  override async outgoingUpdate({ id }: Session, packet: AedesPublishPacket): Promise<void> {
    const queue = this.#states.get(id)?.queue ?? []
    const isPubrel = (packet.cmd as string) === 'pubrel'
    const at = queue.findIndex((each) =>
      isPubrel ? each.messageId === packet.messageId : each.brokerCounter === packet.brokerCounter,
    )
    const found = queue[at]
    if (!found) return
    if (isPubrel) queue[at] = { ...packet, topic: found.topic, payload: found.payload }
    else found.messageId = packet.messageId
  }

  /**
   * Removes a message that the client has acknowledged, or a message without identifier that the library does not
   * forward.
   */
  override async outgoingClearMessageId(
    { id }: Session,
    { messageId, brokerCounter }: AcknowledgedPacket,
  ): Promise<AedesPublishPacket | undefined> {
    const state = this.#states.get(id)
    if (!state) return undefined
    const at = state.queue.findIndex(
      (each) =>
        each.messageId === messageId && (messageId !== undefined || each.brokerCounter === brokerCounter),
    )
    return this.#states.dequeue(state, at)
  }

  override outgoingStream({ id }: Session): Readable {
    return Readable.from([...(this.#states.get(id)?.queue ?? [])])
  }

  /**
   * Does nothing: {@link incomingGetPacket} has recorded the identifier, and the library forwards its own copy of the
   * packet.
   */
  override async incomingStorePacket(): Promise<void> {}

  /**
   * Resolves for a message that was forwarded. Rejects the first PUBLISH of a message, which makes the library forward
   * it.
   */
  override async incomingGetPacket({ id }: Session, packet: AedesPublishPacket) {
    const message = this.#states.get(id)?.unreleased.get(packet.messageId as number)
    if (message?.isForwarded) return packet
    if (message && packet.cmd === 'publish') message.isForwarded = true
    throw new Error('the packet identifier is unknown')
  }

  override async incomingDelPacket({ id }: Session, { messageId }: AedesPublishPacket): Promise<void> {
    this.forgetMessage(id, messageId as number)
  }

  #enqueue(sessionId: string, packet: AedesPublishPacket): void {
    const state = this.#states.get(sessionId)
    if (state) this.#states.enqueue(state, packet)
  }

  #limited(limit: 'sessions' | 'queue', { id, owner, bytes }: SessionState): void {
    const { perClient, clientBytes, queueBytes } = SESSION_LIMITS
    const message =
      limit === 'sessions'
        ? `The session that was left first has ended: a client may leave ${perClient} sessions of together ${clientBytes} bytes. Give each device a fixed MQTT client id, or let it connect with a clean session.`
        : `A message was dropped from a session: a session queues at most ${queueBytes} bytes, and all sessions of a client ${clientBytes}. Let the device connect more often, or with a clean session.`
    this.#options.limits.hit(limit, { ...sessionFields(id, owner), bytes }, message)
  }
}
