/** Defines arguments and results of the function `enqueue`, and converts a refusal to an error of the broker. Pure. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type { QueueLimits } from '../../../broker/contract/store.ts'
import { type BrokerError, HandedOver, keyReused, unknownMessage } from '../../../broker/vocabulary/errors.ts'
import type { NewMessage } from '../../../broker/vocabulary/message.ts'
import { queueFull } from '../../../broker/vocabulary/queue-full.ts'
import { NO_TERMS } from '../../../broker/vocabulary/term-table.ts'
import type { BatchKeys } from '../database/lane.ts'
import { encodeText } from '../database/text.ts'
import { type AddedLine, auditCall } from '../records/audit-lines.ts'
import { GUARANTEE_CODES, STATUS_CODES } from '../schema/codes.ts'
import { submittedCall } from '../schema/message-row.ts'
import { termsCall } from '../schema/terms.ts'
import type { MovedRow } from './store-events.ts'

export type EnqueueCall = ReturnType<typeof enqueueCall>

export interface StoredAnswer {
  readonly id: number
  /** True if the idempotency key was used before. */
  readonly replayed?: boolean
  readonly moved?: readonly MovedRow[] | null
  /** Transports of the open attempts with cancelled messages. */
  readonly withdrawn?: readonly string[] | null
  readonly line?: AddedLine | null
}

export type RefusedAnswer =
  | { readonly error: 'queue-full'; readonly waiting: number; readonly bytes: number }
  | { readonly error: 'key-reused' | 'unknown-message' }
  | { readonly error: 'handed-over'; readonly status: number; readonly attempts: number }

export function enqueueCall(message: NewMessage, limits: QueueLimits, audit: AuditEntry | null) {
  const { command, data, details, terms, replaces, idempotency } = message
  const call = {
    bytes: Buffer.byteLength(command) + Buffer.byteLength(data),
    has_terms: terms !== null,
    details,
    max_messages: limits.messages,
    max_bytes: limits.bytes,
    replaces,
    scope: encodeText(idempotency?.scope ?? null),
    key: encodeText(idempotency?.key ?? null),
    fingerprint: idempotency?.fingerprint ?? null,
    audit: auditCall(audit),
  }
  // Spread into a literal with further members, the two take V8 28 µs a call instead of 2.
  return Object.assign(call, submittedCall(message), termsCall(terms ?? NO_TERMS), message.links)
}

const ONLY_LAST = GUARANTEE_CODES.of('ONLY_LAST')

/**
 * Returns the keys by which calls share a batch. A call that reads other messages of its device is the only one for its
 * device. An idempotency key occurs once.
 */
export function enqueueKeys({ device_id, guarantee, replaces, scope, key }: EnqueueCall): BatchKeys {
  const device = `device ${device_id}`
  if (key !== null) return { alone: [device, `key ${scope} ${key}`], shared: [] }
  if (guarantee === ONLY_LAST || replaces !== null) return { alone: [device], shared: [] }
  return { alone: [], shared: [device] }
}

export function refusal(
  answer: RefusedAnswer,
  { deviceId, replaces, idempotency }: NewMessage,
  bytes: number,
  limits: QueueLimits,
): BrokerError {
  switch (answer.error) {
    case 'queue-full': {
      const queue = { waiting: answer.waiting, limit: limits.messages, bytes: answer.bytes }
      return queueFull(deviceId, { ...queue, limitBytes: limits.bytes }, bytes)
    }
    case 'key-reused':
      return keyReused(idempotency?.key as string)
    case 'unknown-message':
      return unknownMessage(replaces as number)
    case 'handed-over':
      return new HandedOver(replaces as number, STATUS_CODES.name(answer.status), answer.attempts)
  }
}
