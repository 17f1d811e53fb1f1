/**
 * Storage contract for messages and the settings of devices: coarse verbs, one per intention. A result has everything
 * that an observer of the change needs. Knows no SQL and no driver.
 *
 * A promise resolves when the change is durable. A driver that needs no I/O for an answer returns it without a promise.
 * No rule receives a time: a driver measures with its own clock and returns durations, which the domain adds to its own
 * monotonic clock. A member whose name ends in `AtMs` is in milliseconds since 1970, and is only stored and shown.
 *
 * Every verb may throw or reject with BrokerError storage-busy, storage-full, storage-away, storage-failed or
 * storage-closed. Then nothing was changed, except that after storage-away and storage-failed the outcome is unknown.
 *
 * A verb with `audit` adds the line to the audit trail in the transaction of the change. A call that changes nothing
 * adds none. The detail of `cancelAll` and `replayAll` has `count`, the number of changed messages, which grows with
 * each step.
 */
import type { AuditEntry } from '../../audit/audit.ts'
import type { DeviceSettings } from '../vocabulary/device-settings.ts'
import type { MessageParties, NewMessage, ReplyTo, Report } from '../vocabulary/message.ts'
import type { ReportTexts } from '../vocabulary/report-table.ts'
import type { AckStatus, Cause, Guarantee, Status } from '../vocabulary/status.ts'
import type {
  AttemptRules,
  DeviceAttempt,
  DeviceLease,
  EndedAttempt,
  Head,
  LineState,
  ParkOutcome,
  Taken,
} from './device-lease.ts'
import type { DeviceService, ServiceChange, ServiceOutcome } from './device-service.ts'
import type { StoreListener } from './store-listeners.ts'

/** A value, or a promise of it. A driver that needs no I/O returns the value. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Durable change of a message's status, with everything that an observer needs, so that no second read is necessary.
 *
 * The time of a change is never before the storing, and at least a millisecond after an earlier change, so that the
 * times of a message show the order even if the clock was set back.
 */
export interface Transitioned {
  readonly messageId: number
  readonly deviceId: string
  readonly status: Status
  readonly cause: Cause
  readonly replyTo: ReplyTo | null
  /** Null unless the producer wants details. They may belong to the next change, if both are in one commit. */
  readonly details: TransitionDetails | null
  /**
   * Number that grows with each change of the message, for a change of which several nodes learn. Null if one process
   * makes all changes, and for a message that this node has just stored.
   */
  readonly order: number | null
}

/** Details of a change, for a producer that wants them. */
export interface TransitionDetails extends ReportTexts {
  /** JSON as the device wrote it. */
  readonly result: string | null
  readonly attempts: number
  readonly atMs: number
}

/**
 * Limits of one queue. The first message of an empty queue is always accepted. A message may count until the change
 * that removes it from its queue is durable, so a concurrent submit may be refused.
 */
export interface QueueLimits {
  readonly messages: number
  /** Maximum bytes of `command` and `data` of all pending messages, in UTF-8; 0 means no limit. */
  readonly bytes: number
}

export interface Enqueued {
  /** Positive id. Ids grow within a device and are never reused. */
  readonly id: number
  /** True if the idempotency key was already used with the same content. Then nothing was stored or changed. */
  readonly replayed: boolean
  /** Messages that ONLY_LAST or `replaces` cancelled. */
  readonly cancelled: readonly Transitioned[]
}

/**
 * Event of the store. A driver may report an event twice, and later events first, but omits none, except a `busy` or an
 * `unfinished` that a later change of its device or its message has overtaken.
 */
export type StoreEvent =
  /** The queue may have another head. */
  | { readonly is: 'added'; readonly deviceId: string }
  /**
   * The message leaves its queue. A driver may report this before the change is durable; `added` reverts it. From this
   * event on, `line` lists the message as unfinished if its finish deadline begins with the change.
   */
  | { readonly is: 'removed'; readonly deviceId: string; readonly messageId: number }
  /** Some node changed the settings of a device. A late report has the current settings, not older ones. */
  | { readonly is: 'settings'; readonly deviceId: string; readonly settings: DeviceSettings }
  /**
   * Another node stored a message or changed a status. A driver with one node never reports this. `hasOwnLimit`: the
   * message was parked by its own limit of attempts, which says nothing about the device.
   */
  | { readonly is: 'transitioned'; readonly transition: Transitioned; readonly hasOwnLimit?: true }
  /** The device asked for a pause, which ended the open attempt as BUSY. 0 ends an earlier pause. */
  | { readonly is: 'busy'; readonly deviceId: string; readonly forMs: number }
  /** A person took the device out of service, which ended the open attempt as BUSY; null: the device is in service. */
  | { readonly is: 'service'; readonly deviceId: string; readonly service: DeviceService | null }
  /** The finish deadline of a DELIVERED message started, or (null) ended. */
  | {
      readonly is: 'unfinished'
      readonly deviceId: string
      readonly messageId: number
      readonly forMs: number | null
    }
  /** A deadline was stored that ends after this time. */
  | { readonly is: 'deadline'; readonly inMs: number }
  /** The node or caller of some open attempts is gone. `openAttempts` returns all of them. */
  | { readonly is: 'attempts-left' }

/** Status reported by a device, or by a client on its behalf. */
export interface Acknowledgement {
  readonly deviceId: string
  readonly messageId: number
  readonly status: AckStatus
  /** Acknowledging client, if it is not the device. */
  readonly by: string | null
  /**
   * Stored if the acknowledgement changes the status, or comes late; see {@link Outcome}. Null if nothing was reported.
   */
  readonly report: Report | null
}

/**
 * Result of an acknowledgement. An acknowledgement that changes nothing is stored as LATE if the message is CANCELLED,
 * or has another final status; each message keeps its newest LATE report, with the reason and without the result. A
 * late DELIVERED does not replace a final report.
 */
export interface Outcome {
  readonly status: Status
  readonly transition: Transitioned | null
}

/** Attempt after which a message is parked. */
export interface LastAttempt {
  readonly messageId: number
  readonly number: number
  /** End of the attempt. TIMEOUT, the default, sets `deliveredError`. */
  readonly outcome?: ParkOutcome | undefined
}

export interface AuditedChange {
  /** Client; null when access checks are off. */
  readonly by: string | null
  readonly audit?: AuditEntry | null
}

export interface CancelChange extends AuditedChange {
  /** True also cancels a message that was dispatched and not acknowledged. */
  readonly force: boolean
}

export interface ReplayChange extends AuditedChange {
  readonly limits: QueueLimits
}

/**
 * Circumstances of a call that changes many messages. A driver may make the changes in steps, one commit each, so that
 * other work is not blocked for long. A refused step ends the call with its error. The earlier steps stay.
 */
export interface ManyChanges {
  readonly limit: number
  readonly audit?: AuditEntry | null
  /** Receives the changes of each step when they are durable. */
  readonly onStep?: (changes: readonly Transitioned[]) => void
}

export interface ReplayAllChanges extends ManyChanges {
  /** Client; null when access checks are off. */
  readonly by: string | null
  readonly limitsOf: (deviceId: string) => QueueLimits
}

export interface CancelOutcome extends Outcome {
  /** Number of attempts of the message. Above 0 the device may have it. */
  readonly attempts: number
}

/** Selects the messages of a device that a client cancels. */
export interface CancelFilter {
  /** Sender of the messages; undefined selects all senders. */
  readonly senderId?: string | null | undefined
  readonly command?: string | undefined
  /** True also cancels messages that were dispatched and not acknowledged. */
  readonly force: boolean
  /** Client that cancels; null when access checks are off. */
  readonly by: string | null
}

export interface CancelledMessages {
  readonly cancelled: readonly Transitioned[]
  /**
   * Ids of the messages with at least one attempt. Without `force` they stay pending; with `force` they are in both
   * lists.
   */
  readonly handedOver: readonly number[]
}

export type Replay =
  | { readonly is: 'replayed'; readonly transition: Transitioned }
  | { readonly is: 'not-unknown'; readonly status: Status; readonly guarantee: Guarantee }
  | { readonly is: 'expired' }

/** Selects the parked messages that a client replays. */
export interface ReplayFilter {
  readonly deviceId?: string | undefined
  readonly command?: string | undefined
  /** Earliest time at which the message was stored. */
  readonly fromMs?: number | undefined
  /** Time before which the message was stored. */
  readonly toMs?: number | undefined
}

export interface ReplayedMessages {
  readonly replayed: readonly Transitioned[]
  /** Number of matching messages that are still parked, without the skipped messages. */
  readonly left: number
  /** Number of messages whose queue is full or whose validity is over. */
  readonly skipped: number
}

export interface Expiry {
  /** Changes, each with the number of attempts of its message. */
  readonly settled: readonly (Transitioned & { readonly attempts: number })[]
  /** Time until the next deadline; 0 if more are already due; null without any. */
  readonly nextInMs: number | null
}

export interface MessageStore {
  /**
   * Stores a message. In the same transaction ONLY_LAST cancels the device's pending messages with the same command,
   * including delayed ones, and `replaces` cancels the message that it names. Messages of one node take effect in the
   * order of the calls.
   *
   * `links` name earlier messages, in the same transaction. A link ends when the earlier message is purged.
   *
   * A second submit with a used idempotency key of the same sender waits for the commit of the first submit and returns
   * its result. A refused submit leaves the key free.
   *
   * @throws {BrokerError} queue-full, key-reused; for `replaces`: unknown-message when this device has no such message
   * @param audit gets the id of the message as `messageId` in its detail
   * @throws {HandedOver} when `replaces` names a message that was dispatched or has ended otherwise than CANCELLED
   */
  enqueue(message: NewMessage, limits: QueueLimits, audit?: AuditEntry | null): Promise<Enqueued>

  /**
   * Begins a lease of the device. The claims of every earlier lease return `lost` from then on.
   *
   * @param transport name of the transport of the device's connection; the attempts of the lease store it
   */
  attach(deviceId: string, transport: string): MaybePromise<DeviceLease>

  /** Returns the state of a device line without a lease, for a poll of a device with its own settings. */
  line(deviceId: string): MaybePromise<LineState>

  /**
   * Returns the message that a poll may return: the message of the running attempt, else the oldest due and valid
   * message. Also null while an attempt runs with a message whose validity is over. Changes nothing.
   */
  head(deviceId: string): MaybePromise<Head | null>

  /**
   * Begins an attempt by a poll. A NO message becomes DELIVERED and durable. The first attempt of any other message is
   * durable within a second, and gets a row only if it ends without an acknowledgement.
   *
   * @param head result of `head`. Its expired attempt ends as TIMEOUT
   * @returns null if the message left its queue, or the device has another open attempt meanwhile
   */
  take(deviceId: string, head: Head, rules: AttemptRules): MaybePromise<Taken | null>

  /**
   * Takes the message that `head` would return, if the device has no open attempt. Only a store whose calls are round
   * trips has this verb, which saves one.
   *
   * @returns null without such a message, and during an open attempt
   */
  takeFirst?(deviceId: string, rules: AttemptRules): Promise<Taken | null>

  /**
   * Ends an open attempt; TIMEOUT sets `deliveredError`. The message stays pending.
   *
   * @returns false if something else ended the attempt
   */
  endAttempt(deviceId: string, ended: EndedAttempt): Promise<boolean>

  /** Returns the open attempts, at most one per device. The result may reflect changes during the read. */
  openAttempts(): Promise<readonly DeviceAttempt[]>

  /**
   * Parks a message: its open attempt ends, and the message becomes UNKNOWN.
   *
   * @returns null if the message left its queue, or has another attempt meanwhile
   */
  park(deviceId: string, last: LastAttempt): Promise<Transitioned | null>

  /** Applies an acknowledgement. Returns null if the device has no such message. */
  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null>

  /**
   * Stores, with the open attempt of a device, why an answer of the device was refused. The latest reason of an attempt
   * wins. The attempt stays open.
   *
   * @returns the id of the message; null without an open attempt
   */
  refuseAnswer(deviceId: string, reason: string): Promise<number | null>

  /**
   * Cancels a pending message that was never dispatched, or with `force` any pending message.
   *
   * @returns null for an unknown message
   */
  cancel(messageId: number, options: CancelChange): Promise<CancelOutcome | null>

  /**
   * Cancels the pending messages of a device that match a filter, the oldest first. The call ends at its limit, so
   * `handedOver` has no message that is younger than the last cancelled message.
   */
  cancelAll(deviceId: string, filter: CancelFilter, options: ManyChanges): Promise<CancelledMessages>

  /**
   * Returns an UNKNOWN message to its place in the queue. Its attempt numbers continue, and its count starts again at
   * 1.
   *
   * @returns null for an unknown message
   * @throws {BrokerError} queue-full
   */
  replay(messageId: number, options: ReplayChange): Promise<Replay | null>

  /** Replays parked messages, the oldest first. */
  replayAll(filter: ReplayFilter, options: ReplayAllChanges): Promise<ReplayedMessages>

  /** Marks a NO message as UNKNOWN, because it was taken and could not be sent. Returns null if nothing changed. */
  sendFailed(messageId: number): Promise<Transitioned | null>

  /**
   * Stores that a device wants no dispatch for a time, and ends its open attempt as BUSY. 0 ends an earlier pause.
   * Reports `busy` to the listeners of this node before it resolves.
   */
  setBusy(deviceId: string, forMs: number): Promise<void>

  /** Returns the busy devices, with the remaining time of their pauses in milliseconds. */
  busyDevices(): MaybePromise<ReadonlyMap<string, number>>

  /**
   * Takes devices out of service, or returns them to service, in one commit. Each device occurs once. The start of a
   * time out of service ends the open attempt of the device as BUSY. A further change replaces end, reason and client,
   * and keeps the start. Reports `service` of each changed device to the listeners of this node before it resolves.
   *
   * @returns one outcome for each change, in the same order. A change without effect adds no audit line
   */
  changeService(changes: readonly ServiceChange[]): Promise<readonly ServiceOutcome[]>

  /** Returns the devices that are out of service. */
  devicesOutOfService(): MaybePromise<ReadonlyMap<string, DeviceService>>

  /**
   * Processes due deadlines. A message with a running attempt keeps its status until the attempt ends.
   *
   * @param limit maximum deadlines of this step
   */
  expire(limit: number): Promise<Expiry>

  /** Returns the status of a message; null for an unknown message. */
  status(messageId: number): Promise<Status | null>

  /** Returns the clients concerned by a message, which never change; null for an unknown message. */
  parties(messageId: number): Promise<MessageParties | null>

  /**
   * Returns the devices with pending messages, including delayed ones, in no order. The result may reflect changes
   * during its iteration.
   */
  pendingDevices(): MaybePromise<Iterable<string>>

  /** Returns the settings of each device that has its own. */
  deviceSettings(): MaybePromise<ReadonlyMap<string, DeviceSettings>>

  /**
   * Replaces all settings of a device. The device need not be known. Reports `settings` to the listeners of this node
   * before it resolves.
   */
  changeDeviceSettings(deviceId: string, settings: DeviceSettings, audit?: AuditEntry | null): Promise<void>

  /** Calls the listener with each event. Returns a function that unsubscribes. */
  watch(listener: StoreListener): () => void

  /**
   * Removes messages that are not pending and changed before a time, in small steps. Their finish deadlines end.
   *
   * @returns the number of removed messages
   */
  purge(changedBeforeMs: number): Promise<number>

  /**
   * Removes idempotency keys that were first used before a time. Returns their number. A key that a submit uses at the same time
   * may stay until the next call.
   */
  purgeSubmissions(usedBeforeMs: number): Promise<number>

  /** Returns the time at which the newest message was stored; null without messages. */
  newestMs(): Promise<number | null>
}
