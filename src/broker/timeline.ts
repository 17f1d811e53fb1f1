/** The past of a message, told from what is kept of it: the changes of its status, and what became of each attempt. */

import type { MessageRecord } from './message.ts'
import type { Attempt } from './message-log.ts'
import { FINAL_STATUSES, STATUS_KINDS, type Status } from './status.ts'

/** A status stands for a client that withdrew the message. */
export type Cause = 'STORED' | 'HANDED_OVER' | 'CONNECTION_BROKE' | 'ACKNOWLEDGED' | 'SUPERSEDED' | Status

export interface StatusChange {
  readonly atMs: number
  readonly status: Status
  readonly cause: Cause
  /** The client that caused it; null: the broker did, or access checks were off. */
  readonly by: string | null
  /** The message that took its place. */
  readonly messageId: number | null
}

/** SENT: nobody has to acknowledge it. OPEN: its acknowledgement may still come. */
export type AttemptResult = 'SENT' | 'CONNECTION_BROKE' | 'ACKNOWLEDGED' | 'NOT_ACKNOWLEDGED' | 'OPEN'

export interface TimelineAttempt {
  readonly atMs: number
  readonly transport: string
  readonly outcome: AttemptResult
}

/** Oldest first. One is not kept: the second DELIVERED of a NO message that was UNKNOWN before and is final now. */
export function changesOf(message: MessageRecord): StatusChange[] {
  const { createdAtMs, senderId, deliveredAtMs, brokenAtMs, status, changedAtMs } = message
  const changes = [changeOf('NOT_DELIVERED', createdAtMs, 'STORED', senderId)]
  const isFirst = deliveredAtMs === changedAtMs && FINAL_STATUSES.includes(status)
  if (deliveredAtMs !== null && !isFirst) changes.push(delivered(message, deliveredAtMs))
  if (brokenAtMs !== null) changes.push(changeOf('UNKNOWN', brokenAtMs, 'CONNECTION_BROKE'))
  const isTold =
    status === 'NOT_DELIVERED' || changes.some((each) => each.atMs === changedAtMs && each.status === status)
  if (!isTold) changes.push(last(message))
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
 * Oldest first.
 *
 * @param kept as the storage has them: of a NO message none where a poll got it, as its change of status tells that
 */
export function attemptsOf(message: MessageRecord, kept: readonly Attempt[]): TimelineAttempt[] {
  const { guarantee, deliveredAtMs, brokenAtMs, status } = message
  if (guarantee === 'NO') {
    if (deliveredAtMs === null) return []
    const { transport } = kept[0] ?? { transport: 'REST' }
    const outcome = brokenAtMs === null ? 'SENT' : 'CONNECTION_BROKE'
    return [{ atMs: deliveredAtMs, transport, outcome }]
  }
  return kept.map(({ atMs, transport, missed }, i) => {
    const isLast = i === kept.length - 1
    const open = status === 'NOT_DELIVERED' && isLast && !missed
    const acknowledged = deliveredAtMs !== null && isLast
    const outcome = acknowledged ? 'ACKNOWLEDGED' : open ? 'OPEN' : 'NOT_ACKNOWLEDGED'
    return { atMs, transport, outcome }
  })
}
