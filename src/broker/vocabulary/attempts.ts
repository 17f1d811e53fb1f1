/** Holds the rules of attempts for lines and polls: how long an attempt lasts, and which one is the last. Reads no clock. */

import type { AttemptKey, AttemptRules, ParkOutcome } from '../contract/device-lease.ts'
import type { AttemptState } from './message.ts'

/** Messages parked in a row without an acknowledgement, after which a device is deaf. */
export const DEAF_PARKS = 3

/** Number of the last attempt that a new connection ends. Later ones run to their end. */
export const QUICK_ATTEMPTS = 3

/** Multiples of the time-out that the attempts of a message last, by their count. The last one is for all further ones. */
const MULTIPLES = [1, 2, 3, 4, 5]

/** Returns the durations of the attempts of a message in milliseconds. @param attemptMs duration of the first one */
export function attemptDurations(attemptMs: number): readonly number[] {
  return MULTIPLES.map((multiple) => multiple * attemptMs)
}

/** Returns how long an attempt lasts, in milliseconds. @param counted see {@link AttemptState.counted} */
export function attemptMsOf(durationsMs: readonly number[], counted: number): number {
  return durationsMs[Math.min(counted, durationsMs.length) - 1] as number
}

/** Returns the rules that a store receives. Each attempt with a deaf device has the longest duration. */
export function attemptRulesOf(durationsMs: readonly number[], paced: boolean, deaf: boolean): AttemptRules {
  return { durationsMs: deaf ? durationsMs.slice(-1) : durationsMs, paced, deaf }
}

/** Tells whether two attempts with one message are the same; see {@link AttemptKey}. */
export function isSameAttempt(
  one: Pick<AttemptKey, 'number' | 'atMs'>,
  other: Pick<AttemptKey, 'number' | 'atMs'>,
): boolean {
  return one.number === other.number && one.atMs === other.atMs
}

/**
 * Tells whether the message is parked when this attempt ends without an acknowledgement. A limit of the message itself
 * always holds.
 *
 * @param limit general limit of attempts, or that of the device; 0: no limit
 * @param deaf true: the limit parks nothing
 */
export function isLastAttempt(
  { counted, maxAttempts }: Pick<AttemptState, 'counted' | 'maxAttempts'>,
  limit: number,
  deaf: boolean,
): boolean {
  if (maxAttempts !== null) return counted >= maxAttempts
  return limit > 0 && !deaf && counted >= limit
}

/** Tells whether an attempt is the last one by the present rules of its device; see {@link isLastAttempt}. */
export type IsLast = (deviceId: string, attempt: Pick<AttemptState, 'counted' | 'maxAttempts'>) => boolean

/** Records that an attempt ended without an acknowledgement and that another one follows. */
export type TimedOut = (
  deviceId: string,
  messageId: number,
  attempt: Pick<AttemptState, 'counted'> & { readonly atMs: number },
) => void

/**
 * Parks a message after its last attempt and announces that. Resolves to false when the message left its queue or has
 * another attempt meanwhile.
 *
 * @param number number of the last attempt
 * @param hasOwnLimit true: the message itself limits its attempts, so the park says nothing about the device
 * @param outcome the end of that attempt
 */
export type Park = (
  deviceId: string,
  messageId: number,
  number: number,
  hasOwnLimit: boolean,
  outcome?: ParkOutcome,
) => Promise<boolean>
