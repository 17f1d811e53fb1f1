/** Rules of attempts for lines and polls: the duration of an attempt, and which attempt is the last. Reads no clock. */

import type { AttemptKey, AttemptOutcome, AttemptRules, ParkOutcome } from '../contract/device-lease.ts'
import type { AttemptState } from './message.ts'

/** Consecutively parked messages without an acknowledgement after which a device is deaf. */
export const DEAF_PARKS = 3

/** Number of the last attempt that a new connection ends. Later attempts run to their end. */
export const QUICK_ATTEMPTS = 3

/**
 * Durations of the attempts of a message as multiples of the time-out, by their count. The last applies to all further
 * attempts.
 */
const MULTIPLES = [1, 2, 3, 4, 5]

/**
 * Returns the durations of the attempts of a message in milliseconds. @param attemptMs duration of the first attempt
 */
export function attemptDurations(attemptMs: number): readonly number[] {
  return MULTIPLES.map((multiple) => multiple * attemptMs)
}

/** Returns the duration of an attempt in milliseconds. @param counted see {@link AttemptState.counted}; 0 has the first duration */
export function attemptMsOf(durationsMs: readonly number[], counted: number): number {
  return durationsMs[Math.min(Math.max(counted, 1), durationsMs.length) - 1] ?? 0
}

/**
 * Returns whether a further attempt repeats the number of the latest one; see {@link AttemptRules.deaf}.
 *
 * @param latest null when the message has no attempt
 */
export function repeatsNumber(
  latest: { readonly counted: number; readonly outcome: AttemptOutcome | 'OVER' | null } | null,
  deaf: boolean,
  maxAttempts: number | null,
): boolean {
  if (!deaf || maxAttempts !== null || latest === null) return false
  return latest.counted > 0 && latest.outcome !== 'BUSY'
}

/** Returns the rules for a store. Each attempt with a deaf device has the longest duration. */
export function attemptRulesOf(durationsMs: readonly number[], paced: boolean, deaf: boolean): AttemptRules {
  return { durationsMs: deaf ? durationsMs.slice(-1) : durationsMs, paced, deaf }
}

/** Returns whether two attempts with one message are the same; see {@link AttemptKey}. */
export function isSameAttempt(
  one: Pick<AttemptKey, 'number' | 'atMs'>,
  other: Pick<AttemptKey, 'number' | 'atMs'>,
): boolean {
  return one.number === other.number && one.atMs === other.atMs
}

/**
 * Returns whether the message is parked when this attempt ends without an acknowledgement. A limit of the message
 * itself always applies.
 *
 * @param limit general limit of attempts, or the limit of the device; 0 means no limit
 * @param deaf true disables the limit
 */
export function isLastAttempt(
  { counted, maxAttempts }: Pick<AttemptState, 'counted' | 'maxAttempts'>,
  limit: number,
  deaf: boolean,
): boolean {
  if (maxAttempts !== null) return counted >= maxAttempts
  return limit > 0 && !deaf && counted >= limit
}

/** Returns whether an attempt is the last one by the current rules of its device; see {@link isLastAttempt}. */
export type IsLast = (deviceId: string, attempt: Pick<AttemptState, 'counted' | 'maxAttempts'>) => boolean

/** Records that an attempt ended without an acknowledgement and that another attempt follows. */
export type TimedOut = (
  deviceId: string,
  messageId: number,
  attempt: Pick<AttemptState, 'counted'> & { readonly atMs: number },
) => void

/**
 * Parks a message after its last attempt and announces the change. Resolves to false if the message left its queue, or
 * has another attempt meanwhile.
 *
 * @param number number of the last attempt
 * @param hasOwnLimit true if the message limits its own attempts, so the park says nothing about the device
 * @param outcome the end of that attempt
 */
export type Park = (
  deviceId: string,
  messageId: number,
  number: number,
  hasOwnLimit: boolean,
  outcome?: ParkOutcome,
) => Promise<boolean>
