/** Combines the rules of timing for one device: its own settings, and the general settings for the others. */

import type { AttemptRules } from '../contract/device-lease.ts'
import { attemptDurations, attemptRulesOf } from '../vocabulary/attempts.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../vocabulary/device-settings.ts'

/** Rules that currently apply to one device. Times are in milliseconds. */
export interface DispatchRules {
  /** Pacing interval: minimum time between two dispatches to one device. */
  readonly intervalMs: number
  readonly attempt: AttemptRules
  /** Attempts before a message without its own limit is parked; 0 means no limit. */
  readonly maxAttempts: number
  /** True if an unfinished message holds the queue. */
  readonly nextAfterCompleted: boolean
  /** True if polls are paced too. Each claim then reads the state of the line, because a poll may have dispatched. */
  readonly pacesPolls: boolean
  /** Pause after the store refused an attach, a claim or a park. */
  readonly retryMs: number
}

/** Facts about a device, other than its settings, on which its rules depend. */
export interface DeviceFacts {
  /** True for a deaf device. Its messages are dispatched rarely and not parked. */
  readonly isDeaf: boolean
  /** True while all connections are waiting polls, to which the general interval does not apply. */
  readonly onlyPolls: boolean
}

/** Returns the rules for one device: its own values, and general values for the others. */
export function rulesFor(
  settings: DeviceSettings,
  general: DispatchRules,
  { isDeaf, onlyPolls }: DeviceFacts,
): DispatchRules {
  if (settings === GENERAL_SETTINGS && !isDeaf && !onlyPolls) return general
  const ownMs = settings.sendMessagePeriodMs
  const intervalMs = ownMs ?? (onlyPolls ? 0 : general.intervalMs)
  return {
    intervalMs,
    attempt: attemptRulesOf(general.attempt.durationsMs, intervalMs > 0, isDeaf),
    maxAttempts: settings.maxAttempts ?? general.maxAttempts,
    nextAfterCompleted: settings.nextAfter === 'COMPLETED',
    pacesPolls: ownMs !== null && ownMs > 0,
    retryMs: general.retryMs,
  }
}

export interface GeneralTiming {
  /** Pacing interval of a device without its own interval, in milliseconds. */
  readonly intervalMs: number
  readonly attemptMs: number
  /** Attempts before a message is parked; 0 means no limit. */
  readonly maxAttempts: number
}

/** Pause after the store refused a call, in milliseconds. */
const RETRY_MS = 5_000

/** Returns the rules for devices without their own settings. */
export function generalRules({ intervalMs, attemptMs, maxAttempts }: GeneralTiming): DispatchRules {
  return {
    intervalMs,
    attempt: attemptRulesOf(attemptDurations(attemptMs), intervalMs > 0, false),
    maxAttempts,
    nextAfterCompleted: false,
    pacesPolls: false,
    retryMs: RETRY_MS,
  }
}
