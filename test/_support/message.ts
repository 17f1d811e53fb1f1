/** Creates messages to store. */
import type { NewMessage } from '../../src/broker/vocabulary/message.ts'

/** Returns a message for device `pump` with command `start`. */
export function message(parts: Partial<NewMessage> = {}): NewMessage {
  return {
    deviceId: 'pump',
    command: 'start',
    guarantee: 'RECEIPT_CONFIRMATION',
    data: '{}',
    replyTo: null,
    senderId: null,
    details: false,
    terms: null,
    replaces: null,
    idempotency: null,
    ...parts,
  }
}
