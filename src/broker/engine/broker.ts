/**
 * Verbs of the domain for producers, devices and admins: enqueue, poll, acknowledge, busy, cancel, replay, park,
 * status. Knows no HTTP, no MQTT and no SQL.
 */
import { entryOf } from '../../audit/actor.ts'
import type { Actor, AuditEntry } from '../../audit/audit.ts'
import { Duties } from '../../process/duties.ts'
import type { Log } from '../../process/log.ts'
import type { ParkOutcome } from '../contract/device-lease.ts'
import type {
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  MaybePromise,
  MessageStore,
  Outcome,
  ReplayedMessages,
  ReplayFilter,
  Transitioned,
} from '../contract/store.ts'
import { DEAF_PARKS, type IsLast, isLastAttempt, type TimedOut } from '../vocabulary/attempts.ts'
import { ChangeOrder } from '../vocabulary/change-order.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import {
  BrokerError,
  expired,
  HandedOver,
  levelOf,
  notUnknown,
  StatusConflict,
  unknownMessage,
} from '../vocabulary/errors.ts'
import type { DispatchedMessage, DispatchResult, Report, Submission } from '../vocabulary/message.ts'
import type { AckStatus, Status } from '../vocabulary/status.ts'
import { AttemptTimer } from './attempt-timer.ts'
import type { BrokerOptions } from './broker-options.ts'
import { DeafDevices } from './deaf-devices.ts'
import { DeviceSettingsCache } from './device-settings-cache.ts'
import { DispatchPauses } from './dispatch-pauses.ts'
import { type ActOptions, type MayAct, partiesFor } from './message-access.ts'
import { Poller } from './poller.ts'
import { RefusedAnswers } from './refused-answers.ts'
import { short } from './rejection-lines.ts'
import { Submissions, type Submitted } from './submissions.ts'
import { UnansweredMessages } from './unanswered-messages.ts'

const DEFAULT_ATTEMPT_MS = 30_000
const MAX_CANCELLED = 10_000

/** Performs each verb on the store, and announces the resulting status changes. */
export class Broker {
  readonly deviceSettings: DeviceSettingsCache
  readonly pauses: DispatchPauses
  readonly deaf: DeafDevices
  /** Pending messages that their devices did not acknowledge in time. */
  readonly unanswered = new UnansweredMessages()
  /** Devices that send unusable answers. */
  readonly refusedAnswers: RefusedAnswers
  readonly attempts: AttemptTimer
  readonly #options: BrokerOptions
  readonly #messages: MessageStore
  readonly #poller: Poller
  readonly #submissions: Submissions
  readonly #clock: Clock
  readonly #log: Pick<Log, 'debug' | 'info' | 'error'>
  readonly #duties: Pick<Duties, 'perform'>
  readonly #listeners = new Set<(change: Transitioned) => void>()
  /** Newest change of each message that the listeners received. */
  readonly #notified = new ChangeOrder<number>()

  constructor(options: BrokerOptions) {
    const { messages, log, clock = systemClock } = options
    const announce = (change: Transitioned): void => this.announce(change)
    this.deviceSettings = new DeviceSettingsCache(messages)
    this.pauses = new DispatchPauses({ store: messages, clock, log })
    this.deaf = new DeafDevices(clock)
    this.refusedAnswers = new RefusedAnswers(log, clock)
    this.#options = options
    this.#messages = messages
    this.#clock = clock
    this.#log = log
    this.#duties = options.duties ?? new Duties()
    const limit = options.maxAttempts ?? 0
    const ends = {
      isLast: ((deviceId, attempt) => {
        const { maxAttempts } = this.deviceSettings.of(deviceId)
        return isLastAttempt(attempt, maxAttempts ?? limit, this.deaf.isDeaf(deviceId))
      }) satisfies IsLast,
      park: this.park.bind(this),
      timedOut: this.timedOut.bind(this),
    }
    this.attempts = new AttemptTimer({ messages, clock, log, ...ends })
    this.#poller = new Poller({
      messages,
      clock,
      log,
      announce,
      ...ends,
      deviceSettings: this.deviceSettings,
      pauses: this.pauses,
      deaf: this.deaf,
      attempts: this.attempts,
      attemptMs: options.attemptMs ?? DEFAULT_ATTEMPT_MS,
    })
    this.#submissions = new Submissions({
      messages,
      announce,
      clock,
      log,
      settings: this.deviceSettings,
      limits: { messages: options.queueLimit, bytes: options.queueBytes ?? 0 },
      validSeconds: options.validSeconds ?? 0,
      keepsKeys: options.keepsKeys ?? true,
      sharesKeys: options.sharesKeys ?? false,
    })
    messages.watch({
      ...(messages.takeFirst && { added: ({ deviceId }) => this.#poller.added(deviceId) }),
      removed: ({ deviceId, messageId }) => this.unanswered.removed(deviceId, messageId),
      transitioned: (event) => {
        this.deaf.observe(event)
        this.#notify(event.transition)
      },
    })
  }

  /**
   * Stores a command in its device's queue. A repeated idempotency key stores nothing and returns the first result.
   *
   * @param mayReplace a message that the client may not replace is unknown to the client
   * @param audit line for the audit trail; null for a plain submit
   * @returns the id and the status of the message; resolves when the message is durable
   * @throws {BrokerError} bad-terms, too-large-for-device, and storage-full while the disk is nearly full, at once; queue-full, key-reused, unknown-message for `replaces`, storage-full, storage-failed
   * @throws {HandedOver} when the device may have the message that `replaces` names
   */
  enqueue(
    submission: Submission,
    mayReplace: MayAct = null,
    audit: AuditEntry | null = null,
  ): Promise<Submitted> {
    this.#options.disk?.check()
    const replaces = submission.replaces ?? null
    if (replaces === null || mayReplace === null) return this.#submissions.enqueue(submission, audit)
    return partiesFor(this.#messages, replaces, mayReplace).then(() =>
      this.#submissions.enqueue(submission, audit),
    )
  }

  /**
   * Calls the listener with each durable status change, in order per message. Omits a change that another node's later
   * change has overtaken. Returns a function that unsubscribes.
   */
  onChange(listener: (change: Transitioned) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Counts a durable change by this node, and notifies the listeners. */
  announce(change: Transitioned): void {
    this.#options.changes?.count(change)
    this.#notify(change)
  }

  /**
   * Returns the oldest pending message of a device, for a poll; null if none may be dispatched. The poll makes a NO
   * message DELIVERED. Any other message stays the oldest until the device acknowledges it.
   *
   * @throws {BrokerError} storage-full, storage-failed; thrown at once or as a rejection
   */
  poll(deviceId: string): MaybePromise<DispatchedMessage | null> {
    this.#options.presence?.polled(deviceId)
    return this.#poller.poll(deviceId)
  }

  /**
   * Records that a NO message did not reach its connection completely, and repeats the write until it is stored.
   * Without the record the message would stay DELIVERED. Resolves after the first attempt; never rejects.
   *
   * @param result the result of the dispatch, for the log
   */
  sendFailed(messageId: number, result: Exclude<DispatchResult, true> = false): Promise<void> {
    return this.#duties.perform(
      async () => {
        const transition = await this.#messages.sendFailed(messageId)
        if (transition) this.announce(transition)
        const isTooLarge = result === 'TOO_LARGE'
        const why = isTooLarge ? 'no connection of the device accepts its size' : 'the connection broke'
        this.#log.info({ messageId }, `a message was not sent completely: ${why}`)
      },
      (error) =>
        this.#log[levelOf(error, 'error')](
          { err: error, messageId },
          'a failed send could not be stored: the message stays DELIVERED until a further try succeeds',
        ),
    )
  }

  /**
   * Acknowledges a message.
   *
   * @param by the acknowledging client; null: the device itself
   * @param report result and reason from the device; null without a report
   * @returns the status after the acknowledgement; unchanged for a repeated or late acknowledgement
   * @throws {BrokerError} unknown-message when this device has no such message, storage-full, storage-failed
   * @throws {StatusConflict} when the message has another final status
   */
  acknowledge(
    deviceId: string,
    messageId: number,
    status: AckStatus,
    by: string | null = null,
    report: Report | null = null,
  ): Promise<Status> {
    const other = by === deviceId ? null : by
    if (other === null) this.#options.presence?.seen(deviceId)
    return this.#messages
      .acknowledge({ deviceId, messageId, status, by: other, report })
      .then((outcome) =>
        outcome === null
          ? this.#acknowledgedUnknown(deviceId, messageId, other)
          : this.#acknowledged(deviceId, messageId, status, outcome),
      )
  }

  /** Records an acknowledgement with a wrong id. @throws {BrokerError} unknown-message */
  async #acknowledgedUnknown(deviceId: string, messageId: number, by: string | null): Promise<never> {
    const why = `Device "${deviceId}" has no message ${messageId}.`
    await this.refuseAnswer(deviceId, why, by)
    throw new BrokerError('unknown-message', why, undefined, { id: messageId })
  }

  /**
   * Records an unusable answer of a device: with the attempt that awaits an answer, in the log, and for an alert.
   *
   * @param why the reason as text
   * @param by the client that sent the answer; null: the device itself
   * @throws {BrokerError} storage-full, storage-failed
   */
  async refuseAnswer(deviceId: string, why: string, by: string | null = null): Promise<void> {
    if (by === null || by === deviceId) this.#options.presence?.seen(deviceId)
    // The texts of JSON errors quote the input.
    const reason = short(why.toWellFormed()).replace(/\p{Cc}/gu, '\ufffd')
    const messageId = await this.#messages.refuseAnswer(deviceId, reason)
    this.refusedAnswers.record(deviceId, messageId, reason)
  }

  #acknowledged(deviceId: string, messageId: number, status: AckStatus, outcome: Outcome): Status {
    const deafForMs = this.deaf.acknowledged(deviceId)
    if (deafForMs !== null)
      this.#options.deviceEvents?.add(deviceId, 'ANSWERS_AGAIN', { seconds: Math.round(deafForMs / 1000) })
    this.refusedAnswers.acknowledged(deviceId)
    const { status: current, transition } = outcome
    if (!transition && current !== status && status !== 'DELIVERED') {
      throw new StatusConflict(messageId, current)
    }
    this.#log.debug({ messageId, deviceId, status, current }, 'message acknowledged')
    if (transition) this.announce(transition)
    return current
  }

  /**
   * Pauses the dispatch to a device, over all transports. 0 ends an earlier pause.
   *
   * @param by the client that requests it; null: the device itself
   * @returns the end of the pause in milliseconds since 1970; null for 0
   */
  async setBusy(deviceId: string, seconds: number, by: string | null = null): Promise<number | null> {
    if (by === null || by === deviceId) this.#options.presence?.seen(deviceId)
    const isPaused = this.pauses.busyForMs(deviceId) > 0
    await this.#messages.setBusy(deviceId, seconds * 1000)
    if (seconds > 0 || isPaused) this.#options.deviceEvents?.add(deviceId, 'BUSY', { seconds })
    this.#log.debug({ deviceId, seconds }, 'device busy')
    return seconds === 0 ? null : this.#clock.wallMs() + seconds * 1000
  }

  /**
   * Parks a message after its last attempt.
   *
   * @param number number of that attempt
   * @param hasOwnLimit true if the limit is the message's own, which says nothing about the device
   * @param outcome the end of that attempt; TOO_LARGE says nothing about the device either
   * @returns false if the message left its queue, or has another attempt meanwhile
   */
  async park(
    deviceId: string,
    messageId: number,
    number: number,
    hasOwnLimit: boolean,
    outcome: ParkOutcome = 'TIMEOUT',
  ): Promise<boolean> {
    const transition = await this.#messages.park(deviceId, { messageId, number, outcome })
    if (transition === null) return false
    const isTimeout = outcome === 'TIMEOUT'
    if (isTimeout) this.#options.statistics?.ackTimedOut()
    if (isTimeout && !hasOwnLimit && this.deaf.parked(deviceId, messageId))
      this.#options.deviceEvents?.add(deviceId, 'DEAF', { parked: DEAF_PARKS })
    const why = isTimeout ? 'no attempt was acknowledged' : 'it is larger than its device accepts'
    this.#log.info({ messageId, deviceId, attempts: number }, `message parked: ${why}`)
    this.announce(transition)
    return true
  }

  /** Records that an attempt ended without an acknowledgement, over any transport, and that another attempt follows. */
  timedOut(deviceId: string, messageId: number, attempt: Parameters<TimedOut>[2]): void {
    this.unanswered.attemptEnded(deviceId, messageId, attempt)
    this.#options.statistics?.ackTimedOut()
    const { counted } = attempt
    this.#log.info({ messageId, deviceId, counted }, 'no acknowledgement in time: the message is redelivered')
  }

  /**
   * Cancels a message that was never dispatched, or with `force` any pending message. A cancelled message stays
   * CANCELLED.
   *
   * @param options.by the client that cancels the message
   * @param options.mayAct a message that the client may not cancel is unknown to the client
   * @param options.isAudited false if the caller adds one audit line for many messages
   * @throws {BrokerError} unknown-message, storage-full, storage-failed
   * @throws {HandedOver} when the device may have the message
   */
  async cancel(
    messageId: number,
    { by, force = false, mayAct = null, isAudited = true }: ActOptions & { readonly force?: boolean },
  ): Promise<Omit<CancelOutcome, 'transition'>> {
    if (mayAct !== null) await partiesFor(this.#messages, messageId, mayAct)
    const audit = isAudited ? entryOf(by, 'message.cancel', messageId, { force }) : null
    const outcome = await this.#messages.cancel(messageId, { by: by.clientId, force, audit })
    if (outcome === null) throw unknownMessage(messageId)
    const { status, attempts, transition } = outcome
    if (status !== 'CANCELLED') throw new HandedOver(messageId, status, attempts)
    this.#log.debug({ messageId, by: by.clientId, force }, 'message cancelled')
    if (transition) this.announce(transition)
    return { status, attempts }
  }

  /** Cancels the pending messages of a device that match a filter, at most 10,000, the oldest first. */
  async cancelAll(
    deviceId: string,
    filter: Omit<CancelFilter, 'by'>,
    actor: Actor,
  ): Promise<CancelledMessages> {
    const { command, force, senderId } = filter
    const by = actor.clientId
    const audit = entryOf(actor, 'message.cancel', deviceId, { command, senderId, force })
    const options = { limit: MAX_CANCELLED, audit, onStep: this.#announceAll }
    const cancelled = await this.#messages.cancelAll(deviceId, { ...filter, by }, options)
    this.#log.debug({ deviceId, command, by, force, count: cancelled.cancelled.length }, 'messages cancelled')
    return cancelled
  }

  /**
   * Returns an UNKNOWN message to its place in the queue.
   *
   * @param options.by the client that replays the message
   * @param options.isAudited as in `cancel`
   * @throws {BrokerError} unknown-message, not-unknown, expired, queue-full, storage-full, storage-failed
   */
  async replay(messageId: number, { by, mayAct = null, isAudited = true }: ActOptions): Promise<Status> {
    const { deviceId } = await partiesFor(this.#messages, messageId, mayAct)
    const limits = this.#submissions.limitsOf(deviceId)
    const audit = isAudited ? entryOf(by, 'message.replay', messageId) : null
    const replay = await this.#messages.replay(messageId, { by: by.clientId, limits, audit })
    if (replay === null) throw unknownMessage(messageId)
    if (replay.is === 'expired') throw expired(messageId)
    if (replay.is === 'not-unknown') throw notUnknown(messageId, replay.status, replay.guarantee)
    this.#log.debug({ messageId, by: by.clientId }, 'message replayed')
    this.announce(replay.transition)
    return replay.transition.status
  }

  /** Replays parked messages, the oldest first. @param limit maximum messages */
  async replayAll(filter: ReplayFilter, actor: Actor, limit: number): Promise<ReplayedMessages> {
    const by = actor.clientId
    const { deviceId = null, ...rest } = filter
    const audit = entryOf(actor, 'message.replay', deviceId, rest)
    const limitsOf = (deviceId: string) => this.#submissions.limitsOf(deviceId)
    const options = { by, limitsOf, limit, audit, onStep: this.#announceAll }
    const replayed = await this.#messages.replayAll(filter, options)
    this.#log.debug({ ...filter, by, count: replayed.replayed.length }, 'messages replayed')
    return replayed
  }

  /**
   * Returns the status of a message.
   *
   * @param mayRead a message that the caller may not read is unknown to the caller
   * @throws {BrokerError} unknown-message, storage-failed
   */
  async status(messageId: number, mayRead: MayAct = null): Promise<Status> {
    if (mayRead !== null) await partiesFor(this.#messages, messageId, mayRead)
    const status = await this.#messages.status(messageId)
    if (status === null) throw unknownMessage(messageId)
    return status
  }

  readonly #announceAll = (changes: readonly Transitioned[]): void => {
    for (const change of changes) this.announce(change)
  }

  #notify(change: Transitioned): void {
    if (!this.#notified.isNewest(change.messageId, change.order)) return
    this.attempts.settled(change)
    for (const listener of this.#listeners) listener(change)
  }
}
