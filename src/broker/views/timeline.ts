/** Derives the timeline of a message from stored data: the changes of its status, and the result of each attempt. */

import type { Attempt, MessageExtras, StoredReport } from '../contract/message-log.ts'
import { causeOf, type MessageRecord } from '../vocabulary/message.ts'
import { ACK_STATUSES, type Cause, FINAL_STATUSES, type Status } from '../vocabulary/status.ts'

export interface StatusChange {
  readonly atMs: number
  readonly status: Status
  readonly cause: Cause
  /** Client that caused the change; null for the broker, and while access checks were off. */
  readonly by: string | null
  readonly messageId: number | null
  /** Reason of a report after a final status, if the device gave one. */
  readonly reason?: string
}

/**
 * Result of an attempt. SENT: the message needs no acknowledgement. BUSY: the device asked for a pause. OPEN: the
 * acknowledgement may still come. REFUSED_ANSWER: the device sent an unusable answer and no acknowledgement. TOO_LARGE:
 * no connection of the device accepts a message of this size.
 */
export type AttemptResult =
  | 'SENT'
  | 'CONNECTION_BROKE'
  | 'ACKNOWLEDGED'
  | 'NOT_ACKNOWLEDGED'
  | 'REFUSED_ANSWER'
  | 'TOO_LARGE'
  | 'BUSY'
  | 'OPEN'

export interface TimelineAttempt {
  /** Number of the attempt, from 1. The numbering continues after a replay. */
  readonly number: number
  readonly atMs: number
  readonly transport: string
  readonly outcome: AttemptResult
  /** Time at which an open attempt ends; null if unknown. */
  readonly untilMs: number | null
  /** Reason why the answer of the device was refused; null for another outcome. */
  readonly reason: string | null
}

/** Part of the extras from which the changes are derived. */
type Stored = Pick<MessageExtras, 'report' | 'changes'>

/**
 * Lists the changes of a message's status, oldest first, and last the newest report after a final status. The storage
 * lacks two changes: the second DELIVERED of a NO message that was UNKNOWN before, and the DELIVERED of a replayed
 * message once it has a later status.
 */
export function changesOf(message: MessageRecord, { report, changes }: Stored): StatusChange[] {
  const first = changeOf('NOT_DELIVERED', message.createdAtMs, 'STORED', message.senderId)
  const stored = changes.map(({ atMs, status, cause, by }) => changeOf(status, atMs, cause, by))
  const later = [...recordedChanges(message), ...stored]
  if (!isListed(message, later)) later.push(last(message))
  if (stored.length > 0) later.sort((a, b) => a.atMs - b.atMs)
  return [first, ...later, ...lateReport(message, report)]
}

function lateReport({ deviceId }: MessageRecord, report: StoredReport | null): StatusChange[] {
  if (report === null || report.lateStatus === null || report.lateAtMs === null) return []
  const { lateStatus, lateAtMs, lateReason } = report
  const change = changeOf(lateStatus, lateAtMs, 'LATE', deviceId)
  return [lateReason === null ? change : { ...change, reason: lateReason }]
}

/** Lists the changes between the first and the last change of the record itself. */
function recordedChanges(message: MessageRecord): StatusChange[] {
  const { deliveredAtMs, brokenAtMs, status, changedAtMs } = message
  const changes: StatusChange[] = []
  const isLast = deliveredAtMs === changedAtMs && FINAL_STATUSES.includes(status)
  if (deliveredAtMs !== null && !isLast) changes.push(delivered(message, deliveredAtMs))
  if (brokenAtMs !== null) changes.push(changeOf('UNKNOWN', brokenAtMs, 'CONNECTION_BROKE'))
  return changes
}

function isListed({ status, changedAtMs }: MessageRecord, changes: readonly StatusChange[]): boolean {
  return (
    status === 'NOT_DELIVERED' || changes.some((each) => each.atMs === changedAtMs && each.status === status)
  )
}

function delivered({ guarantee, deviceId, deliveredBy }: MessageRecord, atMs: number): StatusChange {
  if (guarantee === 'NO') return changeOf('DELIVERED', atMs, 'HANDED_OVER')
  return changeOf('DELIVERED', atMs, 'ACKNOWLEDGED', deliveredBy ?? deviceId)
}

function last(message: MessageRecord): StatusChange {
  const { status, changedAtMs, deviceId, changedBy, supersededBy } = message
  const cause = causeOf(message)
  if (cause === 'ACKNOWLEDGED') return changeOf(status, changedAtMs, cause, changedBy ?? deviceId)
  if (supersededBy === null) return changeOf(status, changedAtMs, cause, changedBy)
  return { ...changeOf(status, changedAtMs, 'SUPERSEDED'), messageId: supersededBy }
}

function changeOf(status: Status, atMs: number, cause: Cause, by: string | null = null): StatusChange {
  return { atMs, status, cause, by, messageId: null }
}

/**
 * Lists the attempts with a message, oldest first.
 *
 * @param stored stored attempts; none for a NO message that a poll returned
 * @param untilMs time at which the open attempt ends; null if unknown
 */
export function attemptsOf(
  message: MessageRecord,
  stored: readonly Attempt[],
  untilMs: number | null = null,
): TimelineAttempt[] {
  const { guarantee, deliveredAtMs, brokenAtMs } = message
  if (guarantee === 'NO') {
    if (deliveredAtMs === null) return []
    const { number, transport } = stored[0] ?? { number: 1, transport: 'REST' }
    const outcome = brokenAtMs === null ? 'SENT' : 'CONNECTION_BROKE'
    return [{ number, atMs: deliveredAtMs, transport, outcome, untilMs: null, reason: null }]
  }
  return stored.map((attempt, i) => {
    const { number, atMs, transport } = attempt
    const result = resultOf(attempt, message, i === stored.length - 1)
    const isRefused = attempt.refused !== null && REFUSABLE.includes(result)
    return {
      number,
      atMs,
      transport,
      outcome: isRefused ? 'REFUSED_ANSWER' : result,
      untilMs: result === 'OPEN' ? untilMs : null,
      reason: isRefused ? attempt.refused : null,
    }
  })
}

/** Returns the number of attempts with a message. A poll that returned a NO message has no stored row. */
export function attemptNumber(
  { guarantee, deliveredAtMs }: Pick<MessageRecord, 'guarantee' | 'deliveredAtMs'>,
  stored: number,
): number {
  return guarantee === 'NO' && deliveredAtMs !== null ? Math.max(1, stored) : stored
}

/** Results that a refused answer explains. */
const REFUSABLE: readonly AttemptResult[] = ['OPEN', 'NOT_ACKNOWLEDGED']

/** Statuses that only an acknowledgement sets, unless the guarantee is NO. */
const ACKNOWLEDGED: readonly Status[] = ACK_STATUSES

function resultOf({ outcome }: Attempt, message: MessageRecord, isLast: boolean): AttemptResult {
  const { status, deliveredAtMs } = message
  if (outcome !== null) {
    // An acknowledgement after the end of the attempt.
    if (isLast && ACKNOWLEDGED.includes(status)) return 'ACKNOWLEDGED'
    return outcome === 'BUSY' || outcome === 'TOO_LARGE' ? outcome : 'NOT_ACKNOWLEDGED'
  }
  if (isLast && status === 'NOT_DELIVERED') return 'OPEN'
  return deliveredAtMs === null ? 'NOT_ACKNOWLEDGED' : 'ACKNOWLEDGED'
}
