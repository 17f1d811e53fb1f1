/** Stores messages in the memory driver: idempotency keys, `replaces`, ONLY_LAST and the limits of a queue. */
import { withMessage } from '../../audit/actor.ts'
import type { AuditEntry } from '../../audit/audit.ts'
import type { Enqueued, QueueLimits } from '../../broker/contract/store.ts'
import { cancelsReplaced } from '../../broker/engine/replacement.ts'
import { keyReused, unknownMessage } from '../../broker/vocabulary/errors.ts'
import { LINK_LIST } from '../../broker/vocabulary/link-table.ts'
import type { NewMessage } from '../../broker/vocabulary/message.ts'
import { hasRoom, queueFull } from '../../broker/vocabulary/queue-full.ts'
import type { MemoryData, UsedKey } from './memory-data.ts'
import type { MemoryLine } from './memory-line.ts'
import { newMessage, queuedBytes, type StoredMessage } from './memory-message.ts'

const NONE: ReadonlySet<StoredMessage> = new Set()

export function enqueue(
  data: MemoryData,
  content: NewMessage,
  limits: QueueLimits,
  audit: AuditEntry | null,
): Enqueued {
  const earlier = usedKeyOf(data, content)
  if (earlier) return repeated(content, earlier)
  const leaving = new Set([...supersededBy(data, content), ...replacedBy(data, content)])
  requireRoom(data.line(content.deviceId), content.deviceId, queuedBytes(content), limits, leaving)
  const id = ++data.lastId
  const cancelled = [...leaving].flatMap((each) => data.apply(each, 'superseded', { supersededBy: id }) ?? [])
  store(data, newMessage(id, content, data.clock))
  for (const { name } of LINK_LIST) {
    const messageId = content.links?.[name]
    if (messageId !== undefined && data.messages.has(messageId))
      data.links.push({ name, messageId, newMessageId: id })
  }
  data.record(audit && withMessage(audit, id))
  return { id, replayed: false, cancelled }
}

/** @throws {BrokerError} queue-full */
export function requireRoom(
  line: MemoryLine,
  deviceId: string,
  bytes: number,
  limits: QueueLimits,
  leaving: ReadonlySet<StoredMessage> = NONE,
): void {
  if (fits(line, bytes, limits, leaving)) return
  const queue = {
    waiting: line.size - leaving.size,
    limit: limits.messages,
    bytes: line.bytes - bytesOfAll(leaving),
    limitBytes: limits.bytes,
  }
  throw queueFull(deviceId, queue, bytes)
}

/** Returns whether a queue has room for a message. @param leaving messages that leave the queue in the same transaction */
export function fits(
  line: MemoryLine,
  bytes: number,
  limits: QueueLimits,
  leaving: ReadonlySet<StoredMessage> = NONE,
): boolean {
  return hasRoom(line.size - leaving.size, line.bytes - bytesOfAll(leaving), bytes, limits)
}

function bytesOfAll(messages: ReadonlySet<StoredMessage>): number {
  return [...messages].reduce((sum, each) => sum + each.bytes, 0)
}

function store(data: MemoryData, message: StoredMessage): void {
  const { id, content, createdAtMs, expiresAtMs } = message
  const { deviceId, idempotency } = content
  data.messages.set(id, message)
  data.line(deviceId).add(message)
  if (idempotency) data.submissions.push({ ...idempotency, messageId: id, atMs: createdAtMs, repeats: 0 })
  data.emit({ is: 'added', deviceId })
  data.reportChange(message, 'STORED')
  if (expiresAtMs !== null) data.emit({ is: 'deadline', inMs: expiresAtMs - createdAtMs })
}

function usedKeyOf(data: MemoryData, { idempotency }: NewMessage): UsedKey | undefined {
  if (!idempotency) return undefined
  const { scope, key } = idempotency
  return data.submissions.find((each) => each.scope === scope && each.key === key)
}

function repeated({ idempotency }: NewMessage, earlier: UsedKey): Enqueued {
  if (earlier.fingerprint !== idempotency?.fingerprint) throw keyReused(earlier.key)
  earlier.repeats++
  return { id: earlier.messageId, replayed: true, cancelled: [] }
}

function supersededBy(data: MemoryData, { deviceId, guarantee, command }: NewMessage): StoredMessage[] {
  if (guarantee !== 'ONLY_LAST') return []
  return data.line(deviceId).pending.filter((each) => each.command === command)
}

function replacedBy(data: MemoryData, { deviceId, replaces }: NewMessage): StoredMessage[] {
  if (replaces === null) return []
  const message = data.messages.get(replaces)
  if (!message) throw unknownMessage(replaces)
  const { content, status, attempts } = message
  const replaced = { deviceId: content.deviceId, status, attempts: attempts.length }
  return cancelsReplaced(replaced, deviceId, replaces) ? [message] : []
}
