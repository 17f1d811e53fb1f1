/** Handles every PUBLISH and every will: checks the ACL, calls the broker, acknowledges. Knows no sockets. */
import type { PublishPacket } from 'aedes'
import { generate } from 'mqtt-packet'
import type { Grant } from '../auth/grant.ts'
import type { Log } from '../process/log.ts'
import { type CommandHandler, type CommandOutcome, DroppedParts } from '../transport/command-handler.ts'
import { type Problem, problem } from '../wire/messages.ts'
import type { Acl } from './acl.ts'
import { type Peer, type SuppressedPublish, wantsReasons } from './aedes-internals.ts'
import { addressOf, clientOf, contain, send } from './connection.ts'
import { puback } from './packets.ts'
import { RetainOrder } from './retain-order.ts'
import { sessionFields } from './session-id.ts'
import type { UnreleasedMessage } from './session-states.ts'
import type { Sessions } from './sessions.ts'
import { asReason } from './text.ts'
import { type BrokerTopic, formatTopic, isForBroker, isOfBroker, parseTopic } from './topics.ts'

export interface PublishHandlerOptions {
  readonly acl: Acl
  /** Returns the client of an open or closed connection if it still has access; else null. */
  readonly currentClientOf: (peer: Peer) => Grant | null
  readonly commands: CommandHandler
  readonly sessions: Sessions
  readonly publish: (topic: string, payload: string) => void
  readonly forward: (peer: Peer, packet: PublishPacket) => void
  /**
   * Stores a retained message for all nodes; undefined with a single node. Resolves to false if the storage failed, and
   * never rejects.
   */
  readonly retain?: (packet: PublishPacket) => Promise<boolean>
  /** Called for each refused message. @param peer null for a will whose connection has closed */
  readonly refused: (peer: Peer | null, why: Problem) => void
  /** Called before the connection of a client with too many unreleased QoS 2 messages ends. */
  readonly tooManyUnreleased: (peer: Peer) => void
  /** Returns whether a client may be subscribed to messages that other clients send to the broker. */
  readonly hasObservers: () => boolean
  /** Maximum bytes of a payload. An acknowledgement may be larger. */
  readonly payloadLimit: number
  readonly log: Pick<Log, 'debug'>
}

/** Statuses of temporary errors. The client may send the same message again later. */
const TEMPORARY = new Set([429, 500, 503])

/** Reason codes by HTTP status (MQTT 5 section 2.4). All others map to 0x83, implementation specific error. */
const REASON_CODES: Readonly<Record<number, number>> = { 400: 0x99, 403: 0x87, 413: 0x97, 429: 0x97 }

/** Reason code of a DISCONNECT: the client exceeds the receive maximum (MQTT 5 section 3.14.2.1). */
const RECEIVE_MAXIMUM_EXCEEDED = 0x93

export class PublishHandler {
  readonly #options: PublishHandlerOptions
  /** Number of accepted messages that are not yet durable. */
  #pending = 0
  readonly #order = new RetainOrder()
  #closing = false
  #onIdle: () => void = () => {}

  constructor(options: PublishHandlerOptions) {
    this.#options = options
  }

  /**
   * Implements the library's `authorizePublish`. It is the only step that the library awaits before it acknowledges, so
   * the message becomes durable here. A PUBLISH that bypassed the library is acknowledged here too, before `done`.
   *
   * @param peer null for a will whose connection has closed
   */
  authorize(peer: Peer | null, packet: PublishPacket, done: (error?: Error | null) => void) {
    if (isWill(packet)) removeWillDelay(packet)
    const who = peer && this.#options.currentClientOf(peer)
    if (!peer || !who) {
      return this.#refuse(peer, packet, problem(403, 'The access of the client has ended.'), done)
    }
    const topic = parseTopic(packet.topic)
    if (!this.#options.acl.mayPublish(who, packet.topic, topic)) {
      return this.#refuse(peer, packet, forbidden(packet.topic), done)
    }
    const limit = this.#options.payloadLimit
    // The answer of a device has a larger limit, which its handler checks and records.
    if (packet.payload.length > limit && topic?.name !== 'consumer/response') {
      return this.#refuse(peer, packet, tooLarge(limit), done)
    }
    // A retained command would be dispatched again at every SUBSCRIBE.
    if (packet.retain && isOfBroker(packet.topic)) packet.retain = false
    const isForTheBroker = isForBroker(packet.topic)
    if (isForTheBroker && this.#closing) {
      const why = problem(503, 'The server is shutting down. Try again in a moment.')
      return this.#refuse(peer, packet, why, done)
    }
    const message = this.#receive(peer, packet)
    if (message === null) return this.#disconnect(peer, packet, done)
    if (!isForTheBroker) {
      const { retain } = this.#options
      if (retain === undefined) return done()
      return this.#retain(peer, packet, packet.retain ? retain(packet) : null, done)
    }
    this.#pending++
    const end = (task: () => void): void => {
      contain(peer, task)
      if (--this.#pending === 0) this.#onIdle()
    }
    this.#handle(peer, who, topic, packet, message).then(
      (outcome) => end(() => this.#answer(peer, packet, outcome, message, done)),
      (error) =>
        end(() => {
          throw error
        }),
    )
  }

  #answer(
    peer: Peer,
    packet: PublishPacket,
    outcome: CommandOutcome,
    message: UnreleasedMessage | undefined,
    done: (error?: Error) => void,
  ): void {
    if (outcome === null) this.#pass(peer, packet, done)
    else if (outcome instanceof DroppedParts) this.#passPartly(peer, packet, outcome, done)
    else {
      if (message) this.#options.sessions.forgetMessage(peer.id, packet.messageId as number)
      this.#refuse(peer, packet, outcome, done)
    }
  }

  /** Refuses further messages. Resolves when all accepted messages are durable and acknowledged. */
  async close(): Promise<void> {
    this.#closing = true
    if (this.#pending === 0) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  /**
   * Returns the state of a QoS 2 message, undefined for any other message. Returns null if the client has too many
   * unreleased messages.
   */
  #receive(peer: Peer, { qos, messageId }: PublishPacket): UnreleasedMessage | null | undefined {
    if (qos !== 2 || messageId === undefined) return undefined
    return this.#options.sessions.receive(peer.id, messageId)
  }

  /**
   * Forwards a message to its subscribers. A retained message becomes durable first, so a fast client waits for the
   * storage.
   */
  #retain(
    peer: Peer,
    packet: SuppressedPublish,
    stored: Promise<boolean> | null,
    done: (error?: Error) => void,
  ): void {
    const finish = (isStored: boolean): void => {
      if (isStored || packet.qos === 0 || isWill(packet)) {
        done()
        return
      }
      if (packet.qos === 2) this.#options.sessions.forgetMessage(peer.id, packet.messageId as number)
      const why = problem(503, 'The message was not retained: the storage failed. Send it again in a moment.')
      this.#refuse(peer, packet, why, done)
    }
    const passed = this.#order.pass(peer, stored, (isStored) => contain(peer, () => finish(isStored)))
    if (passed === null) return
    this.#pending++
    void passed.then(() => {
      if (--this.#pending === 0) this.#onIdle()
    })
  }

  /** Executes a message for the broker, a QoS 2 message only once. Never rejects. */
  #handle(
    peer: Peer,
    who: Grant,
    topic: BrokerTopic | null,
    packet: PublishPacket,
    message?: UnreleasedMessage,
  ): Promise<CommandOutcome> {
    if (!topic) return Promise.resolve(forbidden(packet.topic))
    const { payload } = packet
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    if (!message) return this.#execute(peer, who, topic, bytes, packet)
    message.result ??= this.#execute(peer, who, topic, bytes, packet)
    return message.result as Promise<CommandOutcome>
  }

  #execute(
    peer: Peer,
    who: Grant,
    { name, id }: BrokerTopic,
    payload: Uint8Array,
    { topic, properties }: PublishPacket,
  ): Promise<CommandOutcome> {
    const { commands } = this.#options
    switch (name) {
      case 'producer/request':
        return commands.submit(who, id, payload, validSecondsOf(properties?.messageExpiryInterval))
      case 'producer/cancel':
        return commands.cancel(who, id, payload, addressOf(peer))
      case 'consumer/response':
        return commands.acknowledge(who, id, payload)
      // Only the broker publishes to these topics.
      case 'consumer/request':
      case 'producer/response':
      case 'producer/error':
        return Promise.resolve(forbidden(topic))
    }
  }

  /** Acknowledges a message of which the broker dropped a part, and publishes an error about the part. */
  #passPartly(
    peer: Peer,
    packet: SuppressedPublish,
    { deviceId, why }: DroppedParts,
    done: () => void,
  ): void {
    this.#publishError(deviceId, packet.topic, why)
    this.#pass(peer, packet, done)
  }

  /**
   * Acknowledges a message that the broker has accepted. Forwards it only if there may be observers, so that the
   * library need not search for subscribers. The library itself forwards a will and a message with QoS 2.
   */
  #pass(peer: Peer, packet: SuppressedPublish, done: () => void): void {
    const { hasObservers, forward } = this.#options
    if (packet.qos < 2 && !isWill(packet)) {
      packet._notAuthorized = true
      if (packet.qos === 1 && !peer.closed) send(peer, puback(packet.messageId as number))
      if (hasObservers()) forward(peer, packet)
    }
    done()
  }

  /** Ends the connection of a client that sends more QoS 2 messages than it releases. */
  #disconnect(peer: Peer, packet: SuppressedPublish, done: () => void): void {
    packet._notAuthorized = true
    this.#options.tooManyUnreleased(peer)
    peer.disconnect({ reasonCode: RECEIVE_MAXIMUM_EXCEEDED }, () => done())
  }

  #refuse(peer: Peer | null, packet: SuppressedPublish, why: Problem, done: (error?: Error) => void) {
    const { message } = why
    const { topic } = packet
    this.#options.refused(peer, why)
    const { status } = why
    this.#options.log.debug(
      { ...sessionFields(peer?.id, peer ? clientOf(peer)?.id : undefined), topic, status },
      `PUBLISH refused: ${message}`,
    )
    this.#publishError((peer && clientOf(peer)?.id) ?? '', topic, why)
    if (!peer || isWill(packet)) return done(new Error(message))
    packet._notAuthorized = true
    acknowledge(peer, packet, why)
    done()
  }

  #publishError(clientId: string, topic: string, { error, message }: Problem): void {
    const errorTopic = formatTopic('producer/error', clientId)
    if (errorTopic) this.#options.publish(errorTopic, JSON.stringify({ error, message, topic }))
  }
}

const MAX_VALID_SECONDS = 31_536_000

/** Converts the message expiry interval of a command to its validity (MQTT 5 section 3.3.2.3.3); null without one. */
function validSecondsOf(expirySeconds: number | undefined): number | null {
  return expirySeconds === undefined ? null : Math.min(Math.max(expirySeconds, 1), MAX_VALID_SECONDS)
}

/** Removes the delay, which is a property of a will and not of the published message (MQTT 5 section 3.3.2.3). */
function removeWillDelay(will: PublishPacket): void {
  if (will.properties === undefined) return
  const { willDelayInterval: _, ...properties } = will.properties as Record<string, unknown>
  will.properties = properties
}

/** Returns whether a packet of the library is a will: no client sent it as a PUBLISH. */
export function isWill(packet: PublishPacket): boolean {
  return (packet as { cmd?: string }).cmd === undefined
}

/**
 * Acknowledges a refused message. Version 3.1.1 has no negative acknowledgement [MQTT-3.3.5-2]: a message that can
 * never succeed is acknowledged and dropped; a message that may succeed later is not acknowledged, so that the client
 * keeps it.
 */
function acknowledge(peer: Peer, { qos, messageId }: SuppressedPublish, { status, message }: Problem): void {
  if (qos === 0 || messageId === undefined || peer.closed) return
  if (peer.version < 5 && TEMPORARY.has(status)) return
  const reasonCode = REASON_CODES[status] ?? 0x83
  const cmd = qos === 1 ? 'puback' : 'pubrec'
  const properties = wantsReasons(peer) ? { reasonString: asReason(message) } : {}
  const whole = generate({ cmd, messageId, reasonCode, properties }, { protocolVersion: peer.version })
  const fits = whole.length <= (peer.maximumPacketSize ?? whole.length)
  send(peer, fits ? whole : generate({ cmd, messageId, reasonCode }, { protocolVersion: peer.version }))
}

function tooLarge(limit: number): Problem {
  return problem(413, `The payload is larger than ${limit} bytes. Send a smaller one.`)
}

function forbidden(topic: string): Problem {
  if (topic.startsWith('producer/cancel/')) {
    return problem(
      403,
      `This client may not publish to "${topic}". Use producer/cancel/{deviceId}, with an id of one level.`,
    )
  }
  const why = isOfBroker(topic)
    ? 'Publish to producer/request/{deviceId} or consumer/response/{deviceId}, with an id of one level.'
    : 'An operator can open the topic with MQTT_EXTRA_TOPICS.'
  return problem(403, `This client may not publish to "${topic}". ${why}`)
}
