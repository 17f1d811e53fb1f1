/**
 * Builds the packets that bypass the library, for speed: every command has one PUBACK and one PUBLISH. Knows no
 * connection.
 */

/** Builds a PUBACK with success, for every version (section 3.4). */
export function puback(messageId: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt16BE(0x4002)
  bytes.writeUInt16BE(messageId, 2)
  return bytes
}

/** Builds a DISCONNECT of version 5 (section 3.14). */
export function disconnect(reasonCode: number): Uint8Array {
  return Uint8Array.of(0xe0, 1, reasonCode)
}

/**
 * Builds a PUBLISH for versions 3.1 and 3.1.1 (section 3.3).
 *
 * @param messageId packet identifier for QoS 1; null for QoS 0
 */
export function publish(topic: string, payload: string, messageId: number | null): Buffer {
  const topicBytes = Buffer.byteLength(topic)
  const remaining = 2 + topicBytes + (messageId === null ? 0 : 2) + Buffer.byteLength(payload)
  const bytes = Buffer.allocUnsafe(1 + lengthBytes(remaining) + remaining)
  bytes[0] = messageId === null ? 0x30 : 0x32
  let at = 1
  // Each byte has seven bits, the lowest first. All but the last have the eighth bit set (section 2.2.3).
  let rest = remaining
  for (; rest > 127; rest >>= 7) bytes[at++] = (rest & 127) | 128
  bytes[at++] = rest
  at = bytes.writeUInt16BE(topicBytes, at)
  at += bytes.write(topic, at)
  if (messageId !== null) at = bytes.writeUInt16BE(messageId, at)
  bytes.write(payload, at)
  return bytes
}

/**
 * Reads the fixed header (section 2.2): the offset of the variable header, and the end of the packet. Returns null if more
 * bytes are needed.
 */
export function fixedHeader(bytes: Buffer): { readonly start: number; readonly end: number } | null {
  let remaining = 0
  for (let at = 1; at < bytes.length; at++) {
    const byte = bytes[at] as number
    remaining += (byte & 127) * 128 ** (at - 1)
    if (byte < 128) return { start: at + 1, end: at + 1 + remaining }
  }
  return null
}

function lengthBytes(remaining: number): number {
  return remaining < 128 ? 1 : remaining < 16_384 ? 2 : remaining < 2_097_152 ? 3 : 4
}
