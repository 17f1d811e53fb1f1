/** Cancels and replays messages in the memory driver. */
import type { AuditEntry } from '../../audit/audit.ts'
import type {
  CancelChange,
  CancelFilter,
  CancelledMessages,
  CancelOutcome,
  ManyChanges,
  Replay,
  ReplayAllChanges,
  ReplayChange,
  ReplayedMessages,
  ReplayFilter,
  Transitioned,
} from '../../broker/contract/store.ts'
import { cancellation, replayRefusal } from '../../broker/vocabulary/status.ts'
import type { MemoryData } from './memory-data.ts'
import type { StoredMessage } from './memory-message.ts'
import { fits, requireRoom } from './memory-submissions.ts'

export function cancel(
  data: MemoryData,
  messageId: number,
  { by, force, audit = null }: CancelChange,
): CancelOutcome | null {
  const message = data.messages.get(messageId)
  if (!message) return null
  const transition = data.apply(message, cancellation(force), { by })
  if (transition !== null) data.record(audit)
  return { status: message.status, transition, attempts: message.attempts.length }
}

export function cancelAll(
  data: MemoryData,
  deviceId: string,
  { senderId, command, force, by }: CancelFilter,
  { limit, audit = null }: ManyChanges,
): CancelledMessages {
  const cancelled: Transitioned[] = []
  const handedOver: number[] = []
  for (const message of data.line(deviceId).pending) {
    if (cancelled.length === limit) break
    if (senderId !== undefined && message.content.senderId !== senderId) continue
    if (command !== undefined && message.command !== command) continue
    if (message.attempts.length > 0) handedOver.push(message.id)
    const transition = data.apply(message, cancellation(force), { by })
    if (transition) cancelled.push(transition)
  }
  if (cancelled.length > 0) data.record(withCount(audit, cancelled.length))
  return { cancelled, handedOver }
}

export function replay(
  data: MemoryData,
  messageId: number,
  { by, limits, audit = null }: ReplayChange,
): Replay | null {
  const message = data.messages.get(messageId)
  if (!message) return null
  const { status, guarantee, content, bytes } = message
  const refusal = replayRefusal(data.movable(message))
  if (refusal === 'expired') return { is: 'expired' }
  if (refusal === 'not-unknown') return { is: 'not-unknown', status, guarantee }
  requireRoom(data.line(content.deviceId), content.deviceId, bytes, limits)
  data.record(audit)
  return { is: 'replayed', transition: putBack(data, message, by) }
}

export function replayAll(
  data: MemoryData,
  filter: ReplayFilter,
  { by, limitsOf, limit, audit = null }: ReplayAllChanges,
): ReplayedMessages {
  const replayed: Transitioned[] = []
  let left = 0
  let skipped = 0
  for (const message of [...data.messages.values()].filter((each) => isParked(each, filter))) {
    const { deviceId } = message.content
    const hasPlace = fits(data.line(deviceId), message.bytes, limitsOf(deviceId))
    if (!hasPlace || data.movable(message).isExpired) skipped++
    else if (replayed.length < limit) replayed.push(putBack(data, message, by))
    else left++
  }
  if (replayed.length > 0) data.record(withCount(audit, replayed.length))
  return { replayed, left, skipped }
}

function withCount(audit: AuditEntry | null, count: number): AuditEntry | null {
  return audit && { ...audit, detail: { ...audit.detail, count } }
}

function isParked(
  { status, cause, command, content, createdAtMs }: StoredMessage,
  filter: ReplayFilter,
): boolean {
  const { deviceId = content.deviceId, fromMs = createdAtMs, toMs = Number.POSITIVE_INFINITY } = filter
  if (status !== 'UNKNOWN' || cause !== 'NOT_ACKNOWLEDGED' || deviceId !== content.deviceId) return false
  return (filter.command ?? command) === command && fromMs <= createdAtMs && createdAtMs < toMs
}

function putBack(data: MemoryData, message: StoredMessage, by: string | null): Transitioned {
  message.attemptsBefore = message.attempts.length
  const { expiresAtMs } = message
  if (expiresAtMs !== null) data.emit({ is: 'deadline', inMs: expiresAtMs - data.clock.wallMs() })
  return data.apply(message, 'replayed', { by }) as Transitioned
}
