/** Defines a message of the memory driver with all of its stored data. Knows no queue. */

import type { AttemptOutcome } from '../../broker/contract/device-lease.ts'
import type { Attempt, MessageExtras, StoredChange, StoredReport } from '../../broker/contract/message-log.ts'
import type { TransitionDetails } from '../../broker/contract/store.ts'
import type { AttemptTerms, LatestAttempt } from '../../broker/engine/dispatch-choice.ts'
import type { Moved } from '../../broker/engine/move.ts'
import type { Clock } from '../../broker/vocabulary/clock.ts'
import type { MessageLinks } from '../../broker/vocabulary/link-table.ts'
import type { MessageRecord, NewMessage, PendingMessage } from '../../broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS, reportTextsOf } from '../../broker/vocabulary/report-table.ts'
import type { Cause, Status } from '../../broker/vocabulary/status.ts'
import { NO_TERMS, toStoredTerms } from '../../broker/vocabulary/term-table.ts'
import { type End, endAt, restMs } from '../end.ts'

export interface MemoryAttempt extends Attempt {
  atMs: number
  transport: string
  /** Null while the attempt is open, and if an acknowledgement ended it. */
  outcome: AttemptOutcome | null
  refused: string | null
  /** End of its duration on the monotonic clock; null for an ended attempt. */
  untilMs: number | null
}

export interface StoredMessage extends PendingMessage {
  readonly content: NewMessage
  /** Bytes that count for the limit of the queue. */
  readonly bytes: number
  readonly createdAtMs: number
  readonly due: End | null
  readonly expiresAtMs: number | null
  /** Terms that go with its attempts. */
  readonly limits: AttemptTerms
  readonly attempts: MemoryAttempt[]
  readonly changes: StoredChange[]
  status: Status
  /** Null if the status implies it. */
  cause: Cause | null
  attemptsBefore: number
  changedAtMs: number
  changedBy: string | null
  deliveredAtMs: number | null
  deliveredBy: string | null
  deliveredError: boolean
  brokenAtMs: number | null
  supersededBy: number | null
  finish: End | null
  report: StoredReport | null
}

export function newMessage(id: number, content: NewMessage, clock: Clock): StoredMessage {
  const { command, guarantee, data, terms } = content
  const atMs = clock.wallMs()
  const limits = toStoredTerms(terms ?? NO_TERMS, atMs)
  const delayMs = terms?.delaySeconds == null ? null : terms.delaySeconds * 1000
  return {
    id,
    command,
    guarantee,
    data,
    content,
    bytes: queuedBytes(content),
    createdAtMs: atMs,
    changedAtMs: atMs,
    due: delayMs === null ? null : endAt(atMs + delayMs, delayMs, clock),
    expiresAtMs: limits.expiresAtMs,
    limits,
    finish: null,
    attempts: [],
    attemptsBefore: 0,
    changes: [],
    status: 'NOT_DELIVERED',
    cause: null,
    changedBy: null,
    supersededBy: null,
    deliveredAtMs: null,
    deliveredBy: null,
    deliveredError: false,
    brokenAtMs: null,
    report: null,
  }
}

export function queuedBytes({ command, data }: Pick<NewMessage, 'command' | 'data'>): number {
  return Buffer.byteLength(command) + Buffer.byteLength(data)
}

/** Stores a change of the status. */
export function put(message: StoredMessage, moved: Moved): void {
  message.status = moved.status
  message.cause = moved.cause
  message.changedAtMs = moved.changedAtMs
  message.changedBy = moved.changedBy
  message.deliveredAtMs = moved.deliveredAtMs ?? message.deliveredAtMs
  message.deliveredBy = moved.deliveredBy ?? message.deliveredBy
  message.brokenAtMs = moved.brokenAtMs ?? message.brokenAtMs
  message.supersededBy = moved.supersededBy ?? message.supersededBy
}

/** Returns whether a message may be dispatched: its delay is over, and its validity is not. */
export function isDispatchable({ due, expiresAtMs }: StoredMessage, clock: Clock): boolean {
  return (due === null || restMs(due, clock) === 0) && (expiresAtMs === null || clock.wallMs() < expiresAtMs)
}

/** Returns the open attempt with a pending message; null without one. */
export function openAttempt({ attempts }: StoredMessage): MemoryAttempt | null {
  const latest = attempts.at(-1)
  return latest && latest.untilMs !== null ? latest : null
}

/** Ends the open attempt of a message. An acknowledgement leaves no outcome. */
export function endAttempt(message: StoredMessage, outcome: AttemptOutcome | null): void {
  const attempt = openAttempt(message)
  if (!attempt) return
  attempt.outcome = outcome
  attempt.untilMs = null
  if (outcome === 'TIMEOUT') message.deliveredError = true
}

/** Returns the number of attempts since the message was stored or replayed, excluding attempts that ended as BUSY. */
function countedAttempts({ attempts, attemptsBefore }: StoredMessage): number {
  return attempts.slice(attemptsBefore).filter(({ outcome }) => outcome !== 'BUSY').length
}

/** Returns the latest attempt with a message; null if it was never dispatched. */
export function latestAttempt(message: StoredMessage): LatestAttempt | null {
  const latest = message.attempts.at(-1)
  if (!latest) return null
  const { number, atMs, untilMs } = latest
  const outcome = untilMs === null ? (latest.outcome ?? 'OVER') : null
  return { id: message.id, number, counted: countedAttempts(message), atMs, untilMs: untilMs ?? 0, outcome }
}

/** Returns the details for a producer that wants them; null for any other producer. */
export function detailsOf(message: StoredMessage): TransitionDetails | null {
  const { content, report, attempts, changedAtMs } = message
  if (!content.details) return null
  const texts = reportTextsOf(report ?? NO_REPORT_TEXTS)
  return { ...texts, result: report?.result ?? null, attempts: attempts.length, atMs: changedAtMs }
}

export function recordOf(message: StoredMessage): MessageRecord {
  const { id, command, guarantee, data, content, status, cause, createdAtMs, changedAtMs, changedBy } =
    message
  const { deliveredAtMs, deliveredBy, deliveredError, brokenAtMs, supersededBy } = message
  const { deviceId, senderId, replyTo } = content
  return {
    id,
    deviceId,
    command,
    guarantee,
    data,
    senderId,
    status,
    cause,
    supersededBy,
    createdAtMs,
    changedAtMs,
    changedBy,
    deliveredAtMs,
    deliveredBy,
    deliveredError,
    brokenAtMs,
    correlationId: replyTo?.correlationId ?? null,
    producerId: replyTo?.producerId ?? null,
  }
}

/** Returns the stored data beyond the record, without the idempotency key and the links. */
export function extrasOf(
  message: StoredMessage,
): Omit<MessageExtras, 'idempotencyKey' | 'repeats' | keyof MessageLinks> {
  const { content, createdAtMs, report, changes, attempts } = message
  const finishAtMs = message.finish?.wallMs ?? null
  const { terms, details } = content
  return {
    terms:
      terms || details ? { ...toStoredTerms(terms ?? NO_TERMS, createdAtMs), finishAtMs, details } : null,
    report,
    changes,
    attemptCount: attempts.length,
    attempts: attempts.slice(-100).map(({ number, atMs, transport, outcome, refused }) => ({
      number,
      atMs,
      transport,
      outcome,
      refused,
    })),
  }
}
