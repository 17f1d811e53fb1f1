/** Decides whether a new message may cancel the message that its `replaces` names. Knows no store. */
import { HandedOver, unknownMessage } from '../vocabulary/errors.ts'
import type { Status } from '../vocabulary/status.ts'

/** Members of a stored message that decide whether another message may replace it. */
export interface ReplacedMessage {
  readonly deviceId: string
  readonly status: Status
  readonly attempts: number
}

/**
 * Returns whether a new message cancels the message that it replaces; false if that is cancelled already.
 *
 * @param replaced the stored message; null for an unknown message
 * @param deviceId device of the new message
 * @throws {BrokerError} unknown-message
 * @throws {HandedOver} when the device may have the message
 */
export function cancelsReplaced(
  replaced: ReplacedMessage | null,
  deviceId: string,
  messageId: number,
): boolean {
  if (replaced?.deviceId !== deviceId) throw unknownMessage(messageId)
  const { status, attempts } = replaced
  if (status === 'CANCELLED') return false
  if (status !== 'NOT_DELIVERED' || attempts > 0) throw new HandedOver(messageId, status, attempts)
  return true
}
