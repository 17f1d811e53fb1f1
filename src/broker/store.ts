/**
 * The storage contract for messages and the settings of devices: coarse verbs, one for each intention. A result carries
 * all that an observer of the change needs. Knows no SQL and no driver.
 *
 * A promise resolves when the change is durable. A driver that needs no I/O for an answer returns the answer itself. No
 * rule receives a time: a driver measures with its own clock and returns durations, which the domain adds to its own
 * monotonic clock. A member that ends in `AtMs` is in milliseconds since 1970 and is only stored and shown.
 *
 * Every verb may throw or reject with BrokerError storage-busy, storage-full, storage-failed or storage-closed. Nothing
 * was changed then, except after storage-failed, when that is not known.
 */
import type { DeviceSettings } from './device-settings.ts'
import type { DispatchedMessage, MessageParties, NewMessage, PendingMessage, ReplyTo } from './message.ts'
import type { AckStatus, Status } from './status.ts'

/** A value, or a promise of it. A driver that needs no I/O returns the value. */
export type Soon<T> = T | Promise<T>

/** A durable change of a message's status, with all that an observer needs. No second read is necessary. */
export interface Transitioned {
  readonly messageId: number
  readonly deviceId: string
  readonly status: Status
  readonly replyTo: ReplyTo | null
}

export interface Enqueued {
  /** Positive id. Ids grow within a device and are never used again. */
  readonly id: number
  /** Messages that ONLY_LAST cancelled. */
  readonly cancelled: readonly Transitioned[]
}

/** The end of an attempt. TIMEOUT: no acknowledgement came in time. CONNECTION: the device has another connection now. */
export type AttemptOutcome = 'TIMEOUT' | 'CONNECTION'

/** The end of the attempt with the in-flight message, as the domain decided it. */
export interface EndedAttempt {
  readonly messageId: number
  readonly outcome: AttemptOutcome
}

/** The state of a device line at the moment of attach. The store's clock measures all durations. */
export interface LineState {
  /**
   * Time since the latest paced claim that returned a message. Null when there was none. Never negative: a clock that
   * was set back counts as no time.
   */
  readonly sinceDispatchMs: number | null
  /** Id of the message whose attempt still runs; null when none does. A driver may forget attempts when it closes. */
  readonly inFlightId: number | null
}

/** The answer to a claim. */
export type Claim =
  | {
      readonly is: 'message'
      readonly message: DispatchedMessage
      /** Resolves when the dispatch is durable; null when it already is. */
      readonly recorded: Promise<unknown> | null
      /** The change of a NO message, which the claim made DELIVERED; null for any other message. */
      readonly transition: Transitioned | null
    }
  | { readonly is: 'empty' }
  /** An attempt runs that the caller did not end. The claim took nothing. */
  | { readonly is: 'inFlight'; readonly forMs: number }
  /** The lease is over, by a later attach or by `release`. */
  | { readonly is: 'lost' }

/** The exclusive right of this node to dispatch to one device. */
export interface DeviceLease {
  readonly state: LineState
  /**
   * Takes a message for one attempt: the oldest of the queue. A NO message becomes DELIVERED by this.
   *
   * @param ended ends the attempt with the in-flight message first, in the same transaction
   * @param paced true when a pacing interval applies, so that the time of the dispatch must survive a restart
   * @throws {BrokerError} Then nothing was taken, and the caller reports `ended` again.
   */
  claim(ended: EndedAttempt | null, paced: boolean): Soon<Claim>
  /** Ends the lease, unless a later attach already did. Resolves when the lease is over. */
  release(): Soon<void>
}

/** An event of the store. A driver may report an event twice, and later events first, but never omits one. */
export type StoreEvent =
  /** The queue may have another head. */
  | { readonly is: 'added'; readonly deviceId: string }
  /** The message leaves its queue. A driver may report this before the change is durable; `added` takes it back. */
  | { readonly is: 'removed'; readonly deviceId: string; readonly messageId: number }
  /** Some node changed the settings of a device. A late report has the settings at its own time, not older ones. */
  | { readonly is: 'settings'; readonly deviceId: string; readonly settings: DeviceSettings }
  /** Another node changed a status. A driver with one node never reports this. */
  | { readonly is: 'transitioned'; readonly transition: Transitioned }

/** The message that a poll took. */
export interface Taken {
  /** Time of the dispatch, for display. */
  readonly atMs: number
  /** The change of a NO message, which the poll made DELIVERED; null for any other message. */
  readonly transition: Transitioned | null
}

/** The status that a device, or a client for it, reports. */
export interface Acknowledgement {
  readonly deviceId: string
  readonly messageId: number
  readonly status: AckStatus
  /** The acknowledging client, when it is not the device. */
  readonly by: string | null
}

/** The result of an acknowledgement or a cancellation. */
export interface Outcome {
  /** The status after the call. */
  readonly status: Status
  /** Null when the call changed nothing. */
  readonly transition: Transitioned | null
}

/** Stores messages and the settings of devices. */
export interface MessageStore {
  /**
   * Stores a message. With ONLY_LAST it cancels, in the same transaction, the device's pending messages with the same
   * command. Messages of one node take effect in the order of the calls.
   *
   * @param limit most pending messages of one device
   * @throws {BrokerError} queue-full
   */
  enqueue(message: NewMessage, limit: number): Promise<Enqueued>

  /**
   * Begins a lease of the device. The claims of every earlier lease return `lost` from then on.
   *
   * @param transport name of the transport that the device has connected by; the attempts of the lease keep it
   */
  attach(deviceId: string, transport: string): Soon<DeviceLease>

  /** Returns the oldest pending message of a device. Changes nothing. */
  head(deviceId: string): Soon<PendingMessage | null>

  /**
   * Records that a poll returns a message. A NO message becomes DELIVERED and durable. The first poll of any other
   * message is durable within a second. The message can be cancelled no longer.
   *
   * @returns null when the message left its queue meanwhile
   */
  take(deviceId: string, message: PendingMessage): Soon<Taken | null>

  /** Applies an acknowledgement. Returns null when the device has no such message. */
  acknowledge(acknowledgement: Acknowledgement): Promise<Outcome | null>

  /**
   * Cancels a message that was never dispatched.
   *
   * @param by the client that cancels the message; null when access checks are off
   * @returns null when there is no such message
   */
  cancel(messageId: number, by: string | null): Promise<Outcome | null>

  /** Marks a NO message as UNKNOWN, because it was taken and could not be sent. Returns null when nothing changed. */
  sendFailed(messageId: number): Promise<Transitioned | null>

  /** Returns the status of a message; null when there is no such message. */
  status(messageId: number): Promise<Status | null>

  /** Returns the clients that a message concerns, which never change; null when there is no such message. */
  parties(messageId: number): Promise<MessageParties | null>

  /** Returns the settings of each device that has a value of its own. */
  deviceSettings(): Soon<ReadonlyMap<string, DeviceSettings>>

  /** Replaces all settings of a device. The device need not be known. */
  changeDeviceSettings(deviceId: string, settings: DeviceSettings): Promise<void>

  /** Calls the listener with each event. Returns a function that ends the subscription. */
  watch(listener: (event: StoreEvent) => void): () => void

  /** Removes messages that are not pending and changed before a time, in small steps. Returns their number. */
  purge(changedBeforeMs: number): Promise<number>

  /** Returns the time at which the newest message was stored; null when there is none. */
  newestMs(): Promise<number | null>
}

/** Options of every driver, beside the location of its data. */
export interface StoreOptions {
  /** Duration of an attempt, in milliseconds. During an attempt a claim that does not end it returns `inFlight`. */
  readonly attemptMs: number
}
