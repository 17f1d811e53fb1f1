/** The storage contract for devices: what a driver tells about their queues and messages. Types only. */

import type { Status } from '../vocabulary/status.ts'
import type { Page } from './message-log.ts'
import type { Soon } from './store.ts'

/** The stored facts about a device. */
export interface DeviceRecord {
  readonly deviceId: string
  /** Id of the client with the name of the device; null when there is no such client. */
  readonly clientId: number | null
  /** Number of pending messages. */
  readonly waiting: number
  /** Time at which the oldest pending message was stored, in milliseconds since 1970. */
  readonly oldestAtMs: number | null
  /** The newest message of the device; null when it has none. */
  readonly last: LastMessage | null
}

export interface LastMessage {
  readonly id: number
  readonly command: string
  readonly status: Status
  /** Time at which the message was stored, in milliseconds since 1970. */
  readonly atMs: number
}

/** The open attempt of a device; see `OpenAttempt`. */
export interface DeviceFlight {
  readonly messageId: number
  readonly command: string
  /** Attempts since the message was stored or replayed, this one included. */
  readonly counted: number
  /** The message's own limit of attempts. */
  readonly maxAttempts: number | null
  /** Start of the attempt, in milliseconds since 1970. */
  readonly atMs: number
  /** Start of the first of the counted attempts, in milliseconds since 1970. */
  readonly firstAtMs: number
  /** Rest of the attempt, in milliseconds; 0 when its time is over. */
  readonly runningMs: number
}

/** The stored facts about a device for a detailed list. */
export interface DeviceDetailRecord extends DeviceRecord {
  readonly flight: DeviceFlight | null
  /** Time from the storing of a message to its delivery, for the newest delivered one; null when no recent one is delivered. */
  readonly deliveryMs: number | null
}

/** The lengths of all queues at one moment, or live. */
export interface DeviceQueues {
  /** Number of devices with pending messages. */
  readonly count: number
  /** Returns the devices with pending messages, in no order. */
  devices(): Iterable<string>
  /** Returns the number of pending messages of a device. A driver may return a smaller number for a part of the devices. */
  sizeOf(deviceId: string): number
  /** Returns the id of the oldest pending message; null when there is none. */
  oldestOf(deviceId: string): number | null
}

/** A message that failed or was parked. */
export interface FailedMessage {
  readonly messageId: number
  readonly deviceId: string
  /** True when no attempt was acknowledged, so that the message can be replayed. */
  readonly isParked: boolean
  /** Time of the change, in milliseconds since 1970. */
  readonly changedAtMs: number
}

/** The messages of one queue. */
export interface QueueContent {
  /** Number of all pending messages. */
  readonly total: number
  /** Ids of the oldest messages. */
  readonly ids: readonly number[]
  /** Number of messages of each command, the most frequent first; of a long queue its oldest 10,000 messages. */
  readonly commands: readonly { readonly command: string; readonly count: number }[]
}

/** The storage contract. */
export interface DeviceStore {
  /**
   * Lists devices in the order of their ids, compared as bytes of UTF-8. A call reads a bounded number of devices, so
   * with `search` a page may have fewer than `limit` items, or none, although a next page exists.
   *
   * @param after the page begins behind this id, which need not belong to a device
   * @param search a part of the ids, ASCII letters in any case; the empty text accepts every id
   */
  list(after: string, limit: number, search: string): Promise<Page<DeviceRecord, string>>

  /** Returns the facts about any id. An unknown id has no client and no messages. */
  get(deviceId: string): Promise<DeviceRecord>

  /** Lists the ids that have messages, in the order of `list`. @param after the page begins behind this id */
  owners(after: string, limit: number): Promise<Page<string, string>>

  /** Returns the facts about any ids, in their order. */
  details(deviceIds: readonly string[]): Promise<readonly DeviceDetailRecord[]>

  /** Returns the lengths of all queues. */
  queues(): Soon<DeviceQueues>

  /** Returns the beginning of a queue. @param limit maximum ids */
  queue(deviceId: string, limit: number): Soon<QueueContent>

  /** Returns the devices whose unanswered attempt is at least the second one with its message, in no order. */
  blocked(): Promise<readonly string[]>

  /** Returns the newest messages that are COMPLETED_WITH_ERROR or UNKNOWN, at most 10,000 of each. */
  failed(): Promise<readonly FailedMessage[]>
}
