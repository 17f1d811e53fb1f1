/**
 * Decides which message of a queue a claim or a poll dispatches, and numbers its attempt, for stores that decide in
 * this process. Knows no store and no clock.
 */
import type { AttemptOutcome, AttemptRules, Head, OpenAttempt } from '../contract/device-lease.ts'
import { attemptMsOf, isSameAttempt, repeatsNumber } from '../vocabulary/attempts.ts'
import type { AttemptState } from '../vocabulary/message.ts'
import type { StoredTermValues } from '../vocabulary/term-table.ts'

/** Latest attempt with a pending message. A message without an attempt was never dispatched. */
export interface LatestAttempt {
  /** Id of the message. */
  readonly id: number
  /** Number of the attempt; 0 if the storage refused to record the only dispatch. */
  readonly number: number
  /** Attempts since the message was stored or replayed, excluding attempts that ended as BUSY. */
  readonly counted: number
  /** Time of the dispatch, in milliseconds since 1970. */
  readonly atMs: number
  /** End of the attempt on the monotonic clock, in milliseconds. */
  readonly untilMs: number
  /** Null while the attempt is open. `OVER`: something ended it without an outcome, such as a replay. */
  readonly outcome: AttemptOutcome | 'OVER' | null
}

/** Facts about the queue of a device, as they are at the time of the call. */
export interface QueueFacts<Latest extends LatestAttempt> {
  /** Returns the open attempt of the oldest message with an open attempt. */
  open(deviceId: string): Latest | null
  /** Returns the oldest message that is due, valid and not about to leave the queue. */
  next(deviceId: string): number | null
  /** Returns the latest attempt with a message of the queue. */
  latest(deviceId: string, messageId: number): Latest | null
  /** Returns whether the queue has a message that is not about to leave it. */
  isPending(deviceId: string, messageId: number): boolean
  /** Returns whether the validity of a message has not ended. */
  isValid(messageId: number): boolean
  /** Returns whether an attempt is open and its time is not over. */
  isRunning(attempt: Latest): boolean
}

/** Names the attempt that a claim leaves in flight, or the message that it dispatches, with its latest attempt. */
export type ClaimChoice<Latest> =
  | { readonly inFlight: Latest }
  | { readonly inFlight: null; readonly messageId: number; readonly latest: Latest | null }

/** Names the message that a poll returns, and the open attempt of its device. */
export interface PollChoice<Latest> {
  readonly messageId: number
  readonly open: Latest | null
}

/** Chooses what a claim takes; see `DeviceLease.claim`. Returns null for a queue with nothing to dispatch. */
export function chooseForClaim<Latest extends LatestAttempt>(
  facts: QueueFacts<Latest>,
  deviceId: string,
): ClaimChoice<Latest> | null {
  const open = facts.open(deviceId)
  if (open !== null) return { inFlight: open }
  const messageId = facts.next(deviceId)
  if (messageId === null) return null
  const latest = facts.latest(deviceId, messageId)
  // A message that was replayed or delayed may be older than those that `open` knows.
  return isOpen(latest) ? { inFlight: latest } : { inFlight: null, messageId, latest }
}

/** Chooses the message of a poll; see `MessageStore.head`. Returns null without one. */
export function chooseForPoll<Latest extends LatestAttempt>(
  facts: QueueFacts<Latest>,
  deviceId: string,
): PollChoice<Latest> | null {
  const open = facts.open(deviceId)
  if (open !== null && facts.isRunning(open))
    return facts.isValid(open.id) ? { messageId: open.id, open } : null
  const messageId = facts.next(deviceId)
  if (messageId === null) return null
  const latest = open ?? facts.latest(deviceId, messageId)
  return { messageId, open: isOpen(latest) ? latest : null }
}

/**
 * Returns whether a poll may still take the message that `head` returned; see `MessageStore.take`. If it may, `over` is
 * the open attempt that the poll ends first.
 */
export function chooseForTake<Latest extends LatestAttempt>(
  facts: QueueFacts<Latest>,
  deviceId: string,
  { message, attempt }: Head,
): { readonly over: Latest | null } | null {
  if (!facts.isPending(deviceId, message.id) || !facts.isValid(message.id)) return null
  const latest = facts.open(deviceId) ?? facts.latest(deviceId, message.id)
  const open = isOpen(latest) ? latest : null
  if (!isStill(open, attempt) || (open !== null && facts.isRunning(open))) return null
  return { over: open }
}

/** Returns whether the open attempt of a device is the attempt that `head` returned. */
function isStill(open: LatestAttempt | null, attempt: OpenAttempt | null): boolean {
  if (open === null || attempt === null) return open === null && attempt === null
  return open.id === attempt.messageId && isSameAttempt(open, attempt)
}

function isOpen<Latest extends LatestAttempt>(latest: Latest | null): latest is Latest {
  return latest !== null && latest.outcome === null
}

/** Number and times of a new attempt. */
export interface NextAttempt extends Pick<LatestAttempt, 'number' | 'counted' | 'atMs' | 'untilMs'> {
  /** True if the attempt repeats the number of the latest attempt, and so replaces its row. */
  readonly repeats: boolean
}

/**
 * Returns the attempt that follows the latest attempt with a message; see {@link AttemptRules}.
 *
 * @param latest null when the message has no attempt
 * @param maxAttempts limit of the message itself; null without one
 * @param atMs time on the wall clock
 * @param monotonicMs time on the monotonic clock
 */
export function nextAttempt(
  latest: LatestAttempt | null,
  { durationsMs, deaf }: AttemptRules,
  maxAttempts: number | null,
  atMs: number,
  monotonicMs: number,
): NextAttempt {
  const repeats = repeatsNumber(latest, deaf, maxAttempts)
  const added = repeats ? 0 : 1
  const counted = (latest?.counted ?? 0) + added
  const untilMs = monotonicMs + attemptMsOf(durationsMs, counted)
  return { number: (latest?.number ?? 0) + added, counted, atMs, untilMs, repeats }
}

/** The only attempt with a NO message. */
export const ONLY_ATTEMPT: Pick<LatestAttempt, 'number' | 'counted'> = { number: 1, counted: 1 }

/** Terms that go with an attempt. */
export type AttemptTerms = Pick<StoredTermValues, 'maxAttempts' | 'expiresAtMs' | 'finishSeconds'>

/** Returns an attempt as its device sees it. @param terms null for a message without any */
export function attemptStateOf(
  { number, counted }: Pick<LatestAttempt, 'number' | 'counted'>,
  terms: AttemptTerms | null,
  nowMs: number,
): AttemptState {
  if (terms === null) return { number, counted, maxAttempts: null, remainingMs: null, finishSeconds: null }
  const { maxAttempts, expiresAtMs, finishSeconds } = terms
  const remainingMs = expiresAtMs === null ? null : Math.max(0, expiresAtMs - nowMs)
  return { number, counted, maxAttempts, remainingMs, finishSeconds }
}

/** Converts an open attempt to the form of the contract. */
export function openAttemptOf(
  attempt: LatestAttempt,
  terms: AttemptTerms | null,
  nowMs: number,
  monotonicMs: number,
): OpenAttempt {
  const { id, number, counted, atMs, untilMs } = attempt
  const { maxAttempts, remainingMs, finishSeconds } = attemptStateOf(attempt, terms, nowMs)
  const runningMs = Math.max(0, untilMs - monotonicMs)
  return { messageId: id, number, counted, maxAttempts, remainingMs, finishSeconds, runningMs, atMs }
}
