/** Settings and parts of the broker. Types only. */
import type { Duties } from '../../process/duties.ts'
import type { Log } from '../../process/log.ts'
import type { MessageStore } from '../contract/store.ts'
import type { DeviceEvents } from '../views/device-events.ts'
import type { Presence } from '../views/presence.ts'
import type { Statistics } from '../views/statistics.ts'
import type { ChangeCounts } from '../vocabulary/change-counts.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { DiskFloor } from './disk-floor.ts'

export interface BrokerOptions {
  readonly messages: MessageStore
  readonly queueLimit: number
  /** General maximum of bytes of the pending messages of one device. 0, the default, means no limit. */
  readonly queueBytes?: number
  /** General validity of messages in seconds. 0, the default, means no end. */
  readonly validSeconds?: number
  /** General limit of attempts. 0, the default, means no limit. */
  readonly maxAttempts?: number
  /** Duration of a first attempt. */
  readonly attemptMs?: number
  /** False ignores idempotency keys. */
  readonly keepsKeys?: boolean
  /** True if all senders share one space of idempotency keys. */
  readonly sharesKeys?: boolean
  readonly clock?: Clock
  readonly log: Pick<Log, 'debug' | 'info' | 'error'>
  readonly presence?: Pick<Presence, 'seen' | 'polled'>
  /** Gathers what devices do for their logs. */
  readonly deviceEvents?: Pick<DeviceEvents, 'add'>
  readonly changes?: Pick<ChangeCounts, 'count'>
  /** Refuses submits while the disk is nearly full. */
  readonly disk?: Pick<DiskFloor, 'check'>
  readonly duties?: Pick<Duties, 'perform'>
  /** Counts the attempts that end without an acknowledgement. */
  readonly statistics?: Pick<Statistics, 'ackTimedOut'>
}
