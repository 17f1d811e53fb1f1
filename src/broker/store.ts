/**
 * The storage contract: domain verbs, no SQL and no driver type. A promise resolves only after the commit that
 * holds the change is on disk. Times are integer milliseconds since 1970.
 */
import type { AckStatus, Guarantee, Status } from './status.ts'

export interface NewMessage {
  readonly deviceId: string
  readonly command: string
  readonly guarantee: Guarantee
  /** A JSON object as the producer wrote it. */
  readonly data: string
  /** Of the birth certificate; null without one. */
  readonly tmpId: number | null
  readonly producerId: string | null
  /** The client that sent it; null when access checks are off. */
  readonly senderId: string | null
  readonly createdAtMs: number
}

/** A message as it is handed to a device. */
export interface Waiting {
  readonly id: number
  readonly command: string
  readonly guarantee: Guarantee
  readonly data: string
}

/** Who a message is for, and whom its producer wants to be told. */
export interface Envelope {
  readonly deviceId: string
  readonly tmpId: number | null
  readonly producerId: string | null
}

export interface Stored {
  /** Positive, growing, never used again. */
  readonly id: number
  /** The messages that it took the place of (ONLY_LAST). */
  readonly cancelled: readonly number[]
}

/** What became of an acknowledgement or a cancellation. */
export interface Acknowledged {
  /** The status after it. */
  readonly status: Status
  /** False when the move was not allowed, or there was nothing to change. */
  readonly moved: boolean
}

export interface MessageStore {
  /**
   * Stores a message; with ONLY_LAST it cancels, in the same transaction, the device's waiting messages with
   * the same command.
   *
   * @param limit most messages that may wait for one device
   * @throws {BrokerError} queue-full, storage-full, storage-failed, storage-closed
   */
  enqueue(message: NewMessage, limit: number): Promise<Stored>

  /** The oldest message that waits for a device. As all that is no promise, it never waits for the disk to be written. */
  oldest(deviceId: string): Waiting | null

  /**
   * Says that a message which waits is about to be given to its device: from then on it cannot be cancelled.
   *
   * @returns false when it does not wait any more
   */
  claim(messageId: number, deviceId: string): boolean

  /** Notes that a poll got a message, the first time it does; on disk within a second. */
  polled(messageId: number, deviceId: string, atMs: number): void

  /**
   * Cancels a message that was not handed over.
   *
   * @param by the client that wants it; null when access checks are off
   * @returns the status after it; null when there is no such message
   */
  cancel(messageId: number, by: string | null, atMs: number): Promise<Acknowledged | null>

  /** Marks a NO message as sent. @returns false when another request did it before */
  handOver(messageId: number, deviceId: string, atMs: number): Promise<boolean>

  /** Marks a NO message whose sending broke off. */
  handOverFailed(messageId: number, atMs: number): Promise<void>

  /**
   * From the call on the message is not the oldest any more; it is again when this fails.
   *
   * @param by whose acknowledgement it is; null: the device's own
   * @returns null when this device has no such message
   */
  acknowledge(
    messageId: number,
    deviceId: string,
    status: AckStatus,
    atMs: number,
    by?: string | null,
  ): Promise<Acknowledged | null>

  status(messageId: number): Promise<Status | null>

  envelope(messageId: number): Envelope | null

  /**
   * Notes that a message is published. On disk not before what was begun before it.
   *
   * @param pacedId the device, for {@link lastPublished}; null: nobody will ask
   */
  published(messageId: number, atMs: number, pacedId: string | null): Promise<unknown>

  /** When something was last published to a device, as far as that was noted for it. */
  lastPublished(deviceId: string): number | null

  /** Notes that a message that still waits was not acknowledged in time. */
  responseMissed(messageId: number): Promise<void>

  /**
   * Removes messages that do not wait any more and last changed before a time. Works in small steps, so that
   * nobody waits long behind it.
   *
   * @returns how many were removed
   */
  purge(changedBeforeMs: number): Promise<number>
}
