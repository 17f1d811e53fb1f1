/** The domain's verbs: enqueue, poll, acknowledge, cancel, status. Knows no HTTP, no MQTT and no SQL. */

import type { Counters } from './counters.ts'
import { DeviceSettingsCache } from './device-settings-cache.ts'
import { AlreadyDispatched, BrokerError, StatusConflict } from './errors.ts'
import {
  type DispatchedMessage,
  type MessageParties,
  type NewMessage,
  type PendingMessage,
  type Submission,
  toDispatchedMessage,
  toNewMessage,
} from './message.ts'
import type { Presence } from './presence.ts'
import type { AckStatus, Status } from './status.ts'
import type { Enqueued, MessageStore, Outcome, Soon, Taken, Transitioned } from './store.ts'

/** The part of a pino logger that the broker uses. */
export interface BrokerLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface BrokerOptions {
  readonly messages: MessageStore
  /** Maximum pending messages of one device. */
  readonly queueLimit: number
  readonly log: BrokerLog
  /** Records that a device polled or acknowledged. */
  readonly presence?: Pick<Presence, 'seen'>
  /** Counts the stored messages and the changes of statuses. */
  readonly counters?: Pick<Counters, 'count'>
}

/** Performs each verb on the store, and announces the changes of statuses that follow. */
export class Broker {
  readonly deviceSettings: DeviceSettingsCache
  readonly #messages: MessageStore
  readonly #queueLimit: number
  readonly #log: BrokerLog
  readonly #presence: Pick<Presence, 'seen'> | undefined
  readonly #counters: Pick<Counters, 'count'> | undefined
  readonly #listeners = new Set<(change: Transitioned) => void>()

  constructor({ messages, queueLimit, log, presence, counters }: BrokerOptions) {
    this.deviceSettings = new DeviceSettingsCache(messages)
    this.#messages = messages
    this.#queueLimit = queueLimit
    this.#log = log
    this.#presence = presence
    this.#counters = counters
    messages.watch((event) => {
      if (event.is === 'transitioned') this.#notify(event.transition)
    })
  }

  /**
   * Stores a command in its device's queue.
   *
   * @returns the id of the message; resolves when the message is durable
   * @throws {BrokerError} queue-full, storage-full, storage-failed
   */
  enqueue(submission: Submission): Promise<number> {
    const message = toNewMessage(submission)
    return this.#messages
      .enqueue(message, this.#queueLimit)
      .then((enqueued) => this.#enqueued(message, enqueued))
  }

  #enqueued(message: NewMessage, { id: messageId, cancelled }: Enqueued): number {
    const { deviceId, command, guarantee, senderId, replyTo } = message
    this.#log.debug({ messageId, deviceId, command, guarantee, senderId }, 'message stored')
    this.announce({ messageId, deviceId, status: 'NOT_DELIVERED', replyTo })
    for (const transition of cancelled) this.announce(transition)
    return messageId
  }

  /** Calls the listener with each durable change of a status. Returns a function that ends the subscription. */
  onChange(listener: (change: Transitioned) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Counts a durable change that this node made, and notifies the listeners. */
  announce(change: Transitioned): void {
    this.#counters?.count(change.status)
    this.#notify(change)
  }

  /**
   * Returns the oldest pending message of a device, for a poll; null when no message is pending. The poll makes a NO
   * message DELIVERED. Any other message stays the oldest until the device acknowledges it.
   *
   * @throws {BrokerError} storage-full, storage-failed; thrown at once or as a rejection
   */
  poll(deviceId: string): Soon<DispatchedMessage | null> {
    this.#presence?.seen(deviceId)
    const head = this.#messages.head(deviceId)
    if (head instanceof Promise) return head.then((message) => this.#take(deviceId, message))
    return this.#take(deviceId, head)
  }

  #take(deviceId: string, message: PendingMessage | null): Soon<DispatchedMessage | null> {
    if (message === null) return null
    const taken = this.#messages.take(deviceId, message)
    if (taken instanceof Promise) return taken.then((each) => this.#taken(deviceId, message, each))
    return this.#taken(deviceId, message, taken)
  }

  #taken(deviceId: string, message: PendingMessage, taken: Taken | null): Soon<DispatchedMessage | null> {
    // The message left its queue between the two calls.
    if (taken === null) return this.poll(deviceId)
    if (taken.transition) this.announce(taken.transition)
    this.#log.debug({ messageId: message.id, deviceId }, 'message dispatched')
    return toDispatchedMessage(message, taken.atMs)
  }

  /**
   * Records that a NO message did not reach its connection whole. An error of the store is logged, since the dispatch
   * that called this is over.
   */
  async sendFailed(messageId: number): Promise<void> {
    try {
      const transition = await this.#messages.sendFailed(messageId)
      if (transition) this.announce(transition)
      this.#log.info({ messageId }, 'the connection broke while the message was sent')
    } catch (error) {
      this.#log.error(
        { err: error, messageId },
        'a failed send could not be stored: the message stays DELIVERED',
      )
    }
  }

  /**
   * Acknowledges a message.
   *
   * @param by the acknowledging client; null: the device itself
   * @returns the status after the acknowledgement; unchanged for a repeated or late acknowledgement
   * @throws {BrokerError} unknown-message when this device has no such message, storage-full, storage-failed
   * @throws {StatusConflict} when the message has another final status
   */
  acknowledge(
    deviceId: string,
    messageId: number,
    status: AckStatus,
    by: string | null = null,
  ): Promise<Status> {
    const other = by === deviceId ? null : by
    if (other === null) this.#presence?.seen(deviceId)
    return this.#messages
      .acknowledge({ deviceId, messageId, status, by: other })
      .then((outcome) => this.#acknowledged(deviceId, messageId, status, outcome))
  }

  #acknowledged(deviceId: string, messageId: number, status: AckStatus, outcome: Outcome | null): Status {
    if (outcome === null) {
      throw new BrokerError('unknown-message', `Device "${deviceId}" has no message ${messageId}.`)
    }
    const { status: current, transition } = outcome
    if (!transition && current !== status && status !== 'DELIVERED') {
      throw new StatusConflict(messageId, current)
    }
    this.#log.debug({ messageId, deviceId, status, current }, 'message acknowledged')
    if (transition) this.announce(transition)
    return current
  }

  /**
   * Cancels a message that was never dispatched. A cancelled message stays CANCELLED.
   *
   * @param by the client that cancels the message; null when access checks are off
   * @returns CANCELLED
   * @throws {BrokerError} unknown-message, storage-full, storage-failed
   * @throws {AlreadyDispatched} when a poll or a connection was given the message
   */
  async cancel(messageId: number, by: string | null): Promise<Status> {
    const outcome = await this.#messages.cancel(messageId, by)
    if (outcome === null) throw new BrokerError('unknown-message', `There is no message ${messageId}.`)
    if (outcome.status !== 'CANCELLED') throw new AlreadyDispatched(messageId, outcome.status)
    this.#log.debug({ messageId, by }, 'message cancelled')
    if (outcome.transition) this.announce(outcome.transition)
    return outcome.status
  }

  /**
   * Returns the status of a message.
   *
   * @param mayRead tells whether the caller may read the status, by the clients that the message concerns; null: every
   * caller may. A message that the caller may not read is unknown to the caller.
   * @throws {BrokerError} unknown-message, storage-failed
   */
  async status(
    messageId: number,
    mayRead: ((parties: MessageParties) => boolean) | null = null,
  ): Promise<Status> {
    const parties = mayRead && (await this.#messages.parties(messageId))
    const isHidden = mayRead !== null && (parties === null || !mayRead(parties))
    const status = isHidden ? null : await this.#messages.status(messageId)
    if (status === null) throw new BrokerError('unknown-message', `There is no message ${messageId}.`)
    return status
  }

  #notify(change: Transitioned): void {
    for (const listener of this.#listeners) listener(change)
  }
}
