/** The domain's verbs: enqueue, next, acknowledge, cancel, status. Knows neither HTTP, MQTT nor SQL. */
import { BrokerError, HandedOver, StatusConflict } from './errors.ts'
import type { Presence } from './presence.ts'
import { type AckStatus, type Guarantee, MOVES, type Status } from './status.ts'
import type { Acknowledged, Envelope, MessageStore, NewMessage, Stored, Waiting } from './store.ts'
import type { Tally } from './tally.ts'

export interface Order {
  readonly deviceId: string
  readonly command: string
  readonly guarantee: Guarantee
  /** A JSON object as the producer wrote it; `{}` when it is left out. */
  readonly data?: string | undefined
  /** Where the producer wants to be told of status changes, and under which id of its own. */
  readonly birth?: { readonly tmpId: number | null; readonly producerId: string | null } | undefined
  /** The client that sends it. */
  readonly senderId: string | null
}

/** The part of a pino logger that the broker uses. */
export interface BrokerLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A message was stored, or its status changed; both are on disk. */
export interface Change extends Envelope {
  readonly messageId: number
  readonly status: Status
}

/** A message waits for its device from now on; is about to leave the queue, or left it; stays in it after all. */
export interface QueueChange {
  readonly deviceId: string
  readonly messageId: number
  readonly is: 'waiting' | 'leaving' | 'staying'
}

/** A message that a device was given, and when. */
export interface Handed extends Waiting {
  /** Milliseconds since 1970. */
  readonly atMs: number
}

export interface BrokerOptions {
  readonly messages: MessageStore
  /** Most messages that may wait for one device. */
  readonly queueLimit: number
  readonly log: BrokerLog
  /** Told of each sign of life of a device. */
  readonly presence?: Pick<Presence, 'seen'>
  /** Counts what is stored, and what becomes of it. */
  readonly tally?: Pick<Tally, 'count'>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export class Broker {
  readonly #messages: MessageStore
  readonly #queueLimit: number
  readonly #log: BrokerLog
  readonly #presence: Pick<Presence, 'seen'> | undefined
  readonly #tally: Pick<Tally, 'count'> | undefined
  readonly #now: () => number
  readonly #listeners = new Set<(change: Change) => void>()
  readonly #queueListeners = new Set<(change: QueueChange) => void>()

  constructor({ messages, queueLimit, log, presence, tally, now = Date.now }: BrokerOptions) {
    this.#messages = messages
    this.#queueLimit = queueLimit
    this.#log = log
    this.#presence = presence
    this.#tally = tally
    this.#now = now
  }

  /**
   * Puts a command on disk in its device's queue.
   *
   * @returns its id, once it is on disk
   * @throws {BrokerError} queue-full, storage-full, storage-failed
   */
  enqueue({ deviceId, command, guarantee, data = '{}', birth, senderId }: Order): Promise<number> {
    const message = {
      deviceId,
      command,
      guarantee,
      data,
      tmpId: birth?.tmpId ?? null,
      producerId: birth?.producerId ?? null,
      senderId,
      createdAtMs: this.#now(),
    }
    return this.#messages.enqueue(message, this.#queueLimit).then((stored) => this.#stored(message, stored))
  }

  /** Tells of a message that is on disk. @returns its id */
  #stored(message: NewMessage, { id: messageId, cancelled }: Stored): number {
    const { deviceId, command, guarantee, tmpId, producerId, senderId } = message
    this.#log.debug({ messageId, deviceId, command, guarantee, senderId }, 'message stored')
    this.#tally?.count('NOT_DELIVERED')
    this.#tell({ messageId, deviceId, tmpId, producerId, status: 'NOT_DELIVERED' })
    for (const each of cancelled) this.#queue(deviceId, each, 'leaving')
    this.#queue(deviceId, messageId, 'waiting')
    for (const each of cancelled) this.#changed(each, 'CANCELLED')
    return messageId
  }

  /** @returns ends it */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @param listener told when another message may have become the oldest of a queue. @returns ends it */
  onQueue(listener: (change: QueueChange) => void): () => void {
    this.#queueListeners.add(listener)
    return () => this.#queueListeners.delete(listener)
  }

  /**
   * The oldest command that waits for a device. One with guarantee NO is DELIVERED by this; any other stays the
   * oldest until it is acknowledged. At once, where the disk is not waited for.
   *
   * @throws {BrokerError} storage-full, storage-failed; or rejects with it
   */
  next(deviceId: string): Handed | null | Promise<Handed | null> {
    this.#presence?.seen(deviceId)
    const message = this.#messages.oldest(deviceId)
    if (message === null) return null
    const atMs = this.handOver(message, deviceId)
    if (!(atMs instanceof Promise)) return this.#polled(message, deviceId, atMs)
    return atMs.then((at) => this.#polled(message, deviceId, at))
  }

  #polled(message: Waiting, deviceId: string, atMs: number | null): ReturnType<Broker['next']> {
    // Two may have read the same NO message: one of them gets it, the other looks again.
    if (atMs === null) return this.next(deviceId)
    if (message.guarantee !== MOVES.handOver.guarantee) this.#messages.polled(message.id, deviceId, atMs)
    const { id, command, guarantee, data } = message
    return { id, command, guarantee, data, atMs }
  }

  /**
   * Says that a device is given a message that waits. One with guarantee NO is DELIVERED by this, once, and the disk is
   * waited for.
   *
   * @returns when; null: another took it
   */
  handOver({ id, guarantee }: Waiting, deviceId: string): number | null | Promise<number | null> {
    const atMs = this.#now()
    if (guarantee === MOVES.handOver.guarantee) return this.#handOverOnce(id, deviceId, atMs)
    if (!this.#messages.claim(id, deviceId)) return null
    this.#log.debug({ messageId: id, deviceId }, 'message handed over')
    return atMs
  }

  async #handOverOnce(messageId: number, deviceId: string, atMs: number): Promise<number | null> {
    if (!(await this.#messages.handOver(messageId, deviceId, atMs))) return null
    this.#queue(deviceId, messageId, 'leaving')
    this.#changed(messageId, 'DELIVERED')
    this.#log.debug({ messageId, deviceId }, 'message handed over')
    return atMs
  }

  /**
   * Says that a message that was handed over did not reach the connection whole. Only a NO message is lost by that.
   * Never rejects: nobody is left to be told.
   */
  async handOverFailed(message: Waiting): Promise<void> {
    if (message.guarantee !== MOVES.handOverFailed.guarantee) return
    const messageId = message.id
    try {
      await this.#messages.handOverFailed(messageId, this.#now())
      this.#changed(messageId, 'UNKNOWN')
      this.#log.info({ messageId }, 'connection broke while the message was handed over')
    } catch (error) {
      this.#log.error({ err: error, messageId }, 'a broken hand-over could not be stored: it stays DELIVERED')
    }
  }

  /**
   * @param by the client whose acknowledgement it is; left out: the device
   * @returns the message's status after it; unchanged for a repeated or late acknowledgement
   * @throws {BrokerError} unknown-message when this device has no such message, storage-full, storage-failed
   * @throws {StatusConflict} when another final status is set already
   */
  acknowledge(
    deviceId: string,
    messageId: number,
    status: AckStatus,
    by: string | null = null,
  ): Promise<Status> {
    const other = by === deviceId ? null : by
    if (other === null) this.#presence?.seen(deviceId)
    const acknowledged = this.#messages.acknowledge(messageId, deviceId, status, this.#now(), other)
    this.#queue(deviceId, messageId, 'leaving')
    return acknowledged.then(
      (result) => this.#acknowledged(deviceId, messageId, status, result),
      (error: unknown) => {
        this.#queue(deviceId, messageId, 'staying')
        throw error
      },
    )
  }

  #acknowledged(deviceId: string, messageId: number, status: AckStatus, result: Acknowledged | null): Status {
    if (result === null) {
      throw new BrokerError('unknown-message', `Device "${deviceId}" has no message ${messageId}.`)
    }
    if (!result.moved && result.status !== status && status !== 'DELIVERED') {
      throw new StatusConflict(messageId, result.status)
    }
    this.#log.debug({ messageId, deviceId, status, current: result.status }, 'message acknowledged')
    if (result.moved) this.#changed(messageId, status)
    return result.status
  }

  /**
   * Takes back a message that was not handed over yet. One that is CANCELLED already stays so.
   *
   * @param by the client that wants it
   * @throws {BrokerError} unknown-message, storage-full, storage-failed
   * @throws {HandedOver}
   */
  async cancel(messageId: number, by: string | null): Promise<Status> {
    const result = await this.#messages.cancel(messageId, by, this.#now()).catch((error: unknown) => {
      this.#back(messageId)
      throw error
    })
    if (result === null) throw new BrokerError('unknown-message', `There is no message ${messageId}.`)
    if (result.status === 'NOT_DELIVERED') this.#back(messageId)
    if (result.status !== 'CANCELLED') throw new HandedOver(messageId, result.status)
    this.#log.debug({ messageId, by }, 'message cancelled')
    if (result.moved) this.#changed(messageId, 'CANCELLED')
    return result.status
  }

  /** @throws {BrokerError} unknown-message */
  async status(messageId: number): Promise<Status> {
    const status = await this.#messages.status(messageId)
    if (status === null) throw new BrokerError('unknown-message', `There is no message ${messageId}.`)
    return status
  }

  /** What was to be cancelled waits again: who looked for it meanwhile found nothing. */
  #back(messageId: number): void {
    const envelope = this.#messages.envelope(messageId)
    if (envelope) this.#queue(envelope.deviceId, messageId, 'waiting')
  }

  #changed(messageId: number, status: Status): void {
    this.#tally?.count(status)
    if (this.#listeners.size === 0) return
    const envelope = this.#messages.envelope(messageId)
    if (envelope) this.#tell({ messageId, status, ...envelope })
  }

  #queue(deviceId: string, messageId: number, is: QueueChange['is']): void {
    for (const listener of this.#queueListeners) listener({ deviceId, messageId, is })
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}
