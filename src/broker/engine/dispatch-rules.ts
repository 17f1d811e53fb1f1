/** Finds the rules of timing for one device: its own settings, and the general ones for the rest. */

import type { AttemptRules } from '../contract/device-lease.ts'
import { attemptDurations, attemptRulesOf } from '../vocabulary/attempts.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../vocabulary/device-settings.ts'

/** The rules that apply to one device at the moment. Times are in milliseconds. */
export interface DispatchRules {
  /** The pacing interval: least time between two dispatches to one device. */
  readonly intervalMs: number
  readonly attempt: AttemptRules
  /** Attempts before a message without a limit of its own is parked; 0: no limit. */
  readonly maxAttempts: number
  /** True when an unfinished message holds the queue. */
  readonly nextAfterCompleted: boolean
  /** True when polls are paced too. Each claim then asks for the state of the line, since a poll may have dispatched. */
  readonly pacesPolls: boolean
  /** Pause after the store refused an attach, a claim or a park. */
  readonly retryMs: number
}

/** The facts that the rules of a device depend on, beside its settings. */
export interface DeviceFacts {
  /** True while the device acknowledges nothing. Its messages are then dispatched seldom and not parked. */
  readonly isDeaf: boolean
  /** True while all connections are waiting polls, to which the general interval does not apply. */
  readonly onlyPolls: boolean
}

/** Returns the rules for one device: its own values, and the general ones for the rest. */
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

/** The general settings of dispatch. */
export interface GeneralTiming {
  /** The pacing interval of a device without an interval of its own, in milliseconds. */
  readonly intervalMs: number
  /** Duration of the first attempt, in milliseconds. */
  readonly attemptMs: number
  /** Attempts before a message is parked; 0: no limit. */
  readonly maxAttempts: number
}

/** Pause after the store refused a call, in milliseconds. */
const RETRY_MS = 5_000

/** Returns the rules for devices without settings of their own. */
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
