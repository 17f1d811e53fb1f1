/** Storage contract for devices: their queues and messages. Types only. */

import type { Status } from '../vocabulary/status.ts'
import type { Page } from './message-log.ts'
import type { MaybePromise } from './store.ts'

export interface DeviceRecord {
  readonly deviceId: string
  /** Id of the client with the device's name; null without such a client. */
  readonly clientId: number | null
  readonly waiting: number
  /** Time at which the oldest pending message was stored, in milliseconds since 1970. */
  readonly oldestAtMs: number | null
  /** Newest message of the device; null without messages. */
  readonly last: LastMessage | null
}

export interface LastMessage {
  readonly id: number
  readonly command: string
  readonly status: Status
  /** Time at which the message was stored, in milliseconds since 1970. */
  readonly atMs: number
}

/** Open attempt of a device; see `OpenAttempt`. */
export interface DeviceFlight {
  readonly messageId: number
  readonly command: string
  /** Attempts since the message was stored or replayed, including this attempt. */
  readonly counted: number
  readonly maxAttempts: number | null
  /** Start of the attempt, in milliseconds since 1970. */
  readonly atMs: number
  /** Start of the first of the counted attempts, in milliseconds since 1970. */
  readonly firstAtMs: number
  /** Remaining time of the attempt, in milliseconds; 0 when its time is over. */
  readonly runningMs: number
}

/** Stored facts about a device for a detailed list. */
export interface DeviceDetailRecord extends DeviceRecord {
  readonly flight: DeviceFlight | null
  /** Time from storing to delivery of the newest delivered message; null if no recent message was delivered. */
  readonly deliveryMs: number | null
}

/** Lengths of all queues: a snapshot, or live. */
export interface DeviceQueues {
  readonly count: number
  /** Returns the devices with pending messages, in no order. */
  devices(): Iterable<string>
  /** Returns the number of pending messages of a device. A driver may return a smaller number for some devices. */
  sizeOf(deviceId: string): number
  /** Returns the id of the oldest pending message; null for an empty queue. */
  oldestOf(deviceId: string): number | null
}

export interface FailedMessage {
  readonly messageId: number
  readonly deviceId: string
  /** True if no attempt was acknowledged, so that the message can be replayed. */
  readonly isParked: boolean
  /** Time of the change, in milliseconds since 1970. */
  readonly changedAtMs: number
}

export interface QueueContent {
  readonly total: number
  /** Ids of the oldest messages. */
  readonly ids: readonly number[]
  /**
   * Number of messages per command, the most frequent first. Counts only the oldest 10,000 messages of a long queue.
   */
  readonly commands: readonly { readonly command: string; readonly count: number }[]
}

export interface DeviceStore {
  /**
   * Lists devices in the order of their ids, compared as UTF-8 bytes. A call reads a bounded number of devices, so with
   * `search` a page may have fewer than `limit` items, or none, although a next page exists.
   *
   * @param after the page begins after this id, which need not belong to a device
   * @param search substring of the ids, ASCII letters in any case; the empty text matches every id
   */
  list(after: string, limit: number, search: string): Promise<Page<DeviceRecord, string>>

  /** Returns the facts about any id. An unknown id has no client and no messages. */
  get(deviceId: string): Promise<DeviceRecord>

  /** Lists the ids with messages, in the order of `list`. @param after the page begins after this id */
  owners(after: string, limit: number): Promise<Page<string, string>>

  /** Returns the facts about any ids, in their order. */
  details(deviceIds: readonly string[]): Promise<readonly DeviceDetailRecord[]>

  queues(): MaybePromise<DeviceQueues>

  /** Returns the beginning of a queue. @param limit maximum ids */
  queue(deviceId: string, limit: number): MaybePromise<QueueContent>

  /** Counts the pending messages of a device whose validity ends until a date. @param untilMs null: at any time */
  countExpiring(deviceId: string, untilMs: number | null): MaybePromise<number>

  /** Returns, in no order, the devices whose unanswered attempt is at least the second attempt with its message. */
  blocked(): Promise<readonly string[]>

  /** Returns the newest messages that are COMPLETED_WITH_ERROR or UNKNOWN, at most 10,000 of each. */
  failed(): Promise<readonly FailedMessage[]>
}
