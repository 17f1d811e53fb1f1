/** Derives the timeline of a message from its record: the changes of its status, and the result of each attempt. */

import type { MessageRecord } from './message.ts'
import type { Attempt } from './message-log.ts'
import { type Cause, FINAL_STATUSES, STATUS_KINDS, type Status } from './status.ts'

/** One change of a message's status. */
export interface StatusChange {
  readonly atMs: number
  readonly status: Status
  readonly cause: Cause
  /** The client that caused the change; null when the broker did, or access checks were off. */
  readonly by: string | null
  /** The message that superseded this one. */
  readonly messageId: number | null
}

/** The result of an attempt. SENT: the message needs no acknowledgement. OPEN: the acknowledgement may still come. */
export type AttemptResult = 'SENT' | 'CONNECTION_BROKE' | 'ACKNOWLEDGED' | 'NOT_ACKNOWLEDGED' | 'OPEN'

/** One dispatch of a message, with its result. */
export interface TimelineAttempt {
  readonly atMs: number
  readonly transport: string
  readonly outcome: AttemptResult
}

/**
 * Lists the changes of a message's status, oldest first. The record lacks one change: the second DELIVERED of a NO message
 * that was UNKNOWN before and has a final status now.
 */
export function changesOf(message: MessageRecord): StatusChange[] {
  const { createdAtMs, senderId, deliveredAtMs, brokenAtMs, status, changedAtMs } = message
  const changes = [changeOf('NOT_DELIVERED', createdAtMs, 'STORED', senderId)]
  const isFirst = deliveredAtMs === changedAtMs && FINAL_STATUSES.includes(status)
  if (deliveredAtMs !== null && !isFirst) changes.push(delivered(message, deliveredAtMs))
  if (brokenAtMs !== null) changes.push(changeOf('UNKNOWN', brokenAtMs, 'CONNECTION_BROKE'))
  const isListed =
    status === 'NOT_DELIVERED' || changes.some((each) => each.atMs === changedAtMs && each.status === status)
  if (!isListed) changes.push(last(message))
  return changes
}

function delivered({ guarantee, deviceId, deliveredBy }: MessageRecord, atMs: number): StatusChange {
  if (guarantee === 'NO') return changeOf('DELIVERED', atMs, 'HANDED_OVER')
  return changeOf('DELIVERED', atMs, 'ACKNOWLEDGED', deliveredBy ?? deviceId)
}

function last({ status, changedAtMs, deviceId, changedBy, supersededBy }: MessageRecord): StatusChange {
  if (STATUS_KINDS[status] !== 'withdrawn')
    return changeOf(status, changedAtMs, 'ACKNOWLEDGED', changedBy ?? deviceId)
  if (supersededBy === null) return changeOf(status, changedAtMs, status, changedBy)
  return { ...changeOf(status, changedAtMs, 'SUPERSEDED'), messageId: supersededBy }
}

function changeOf(status: Status, atMs: number, cause: Cause, by: string | null = null): StatusChange {
  return { atMs, status, cause, by, messageId: null }
}

/**
 * Lists the attempts with a message, oldest first.
 *
 * @param stored the attempts in the storage, which has none for a NO message that a poll returned
 */
export function attemptsOf(message: MessageRecord, stored: readonly Attempt[]): TimelineAttempt[] {
  const { guarantee, deliveredAtMs, brokenAtMs, status } = message
  if (guarantee === 'NO') {
    if (deliveredAtMs === null) return []
    const { transport } = stored[0] ?? { transport: 'REST' }
    const outcome = brokenAtMs === null ? 'SENT' : 'CONNECTION_BROKE'
    return [{ atMs: deliveredAtMs, transport, outcome }]
  }
  return stored.map(({ atMs, transport, timedOut }, i) => {
    const isLast = i === stored.length - 1
    const open = status === 'NOT_DELIVERED' && isLast && !timedOut
    const acknowledged = deliveredAtMs !== null && isLast
    const outcome = acknowledged ? 'ACKNOWLEDGED' : open ? 'OPEN' : 'NOT_ACKNOWLEDGED'
    return { atMs, transport, outcome }
  })
}
