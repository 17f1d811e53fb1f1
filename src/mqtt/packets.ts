/** The two packets that are written past the library, since one of each goes with every command. Knows no connection. */

/** PUBACK, success, in every version (section 3.4). */
export function puback(messageId: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt16BE(0x4002)
  bytes.writeUInt16BE(messageId, 2)
  return bytes
}

/**
 * PUBLISH of versions 3.1 and 3.1.1 (section 3.3).
 *
 * @param messageId null: QoS 0, else QoS 1
 */
export function publish(topic: string, payload: string, messageId: number | null): Buffer {
  const topicBytes = Buffer.byteLength(topic)
  const remaining = 2 + topicBytes + (messageId === null ? 0 : 2) + Buffer.byteLength(payload)
  const bytes = Buffer.allocUnsafe(1 + lengthBytes(remaining) + remaining)
  bytes[0] = messageId === null ? 0x30 : 0x32
  let at = 1
  // Seven bits in each byte, the lowest first; all but the last have the eighth (section 2.2.3).
  let rest = remaining
  for (; rest > 127; rest >>= 7) bytes[at++] = (rest & 127) | 128
  bytes[at++] = rest
  at = bytes.writeUInt16BE(topicBytes, at)
  at += bytes.write(topic, at)
  if (messageId !== null) at = bytes.writeUInt16BE(messageId, at)
  bytes.write(payload, at)
  return bytes
}

function lengthBytes(remaining: number): number {
  return remaining < 128 ? 1 : remaining < 16_384 ? 2 : remaining < 2_097_152 ? 3 : 4
}
