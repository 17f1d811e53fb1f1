/** Validates client packets that end with a reason code and properties (MQTT 5 section 2.4). Knows no connection. */
import { checkProperties } from './properties.ts'
import { type ProtocolViolation, REASON, violation } from './protocol-violation.ts'

const ACKNOWLEDGEMENT = [0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99]
const RELEASE = [0x00, 0x92]
/** Reason codes that a client may send, by packet type. */
const CODES: Readonly<Record<number, readonly number[]>> = {
  4: ACKNOWLEDGEMENT,
  5: ACKNOWLEDGEMENT,
  6: RELEASE,
  7: RELEASE,
  14: [0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99],
  15: [0x18, 0x19],
}

/**
 * Checks a packet from its reason code on. The packet may end before the code, or before the properties. @param at
 * offset of the code
 */
export function checkReason(
  type: number,
  bytes: Buffer,
  at: number,
  level: number,
): ProtocolViolation | null {
  if (bytes.length === at) return null
  if (level < 5) return violation('a packet is longer than its fields')
  if (!CODES[type]?.includes(bytes[at] as number)) {
    return violation('a reason code is not allowed in this packet (section 2.4)', REASON.PROTOCOL_ERROR)
  }
  if (bytes.length === at + 1) return null
  const end = checkProperties(bytes, at + 1, bytes.length, type)
  if (typeof end !== 'number') return end
  return end < bytes.length ? violation('a packet is longer than its fields') : null
}
