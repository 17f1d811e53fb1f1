/** Reads the messages of PostgreSQL's protocol: one byte of type, four bytes of length, the content. Without TLS. */

/** Type of NotificationResponse. */
const NOTIFICATION = 'A'.charCodeAt(0)
const HEAD_BYTES = 5

/** Returns a function that takes the bytes of a connection, and returns them without notifications. */
export function withoutNotifications(): (bytes: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const kept: Buffer[] = []
    while (rest.length >= HEAD_BYTES) {
      const end = 1 + rest.readInt32BE(1)
      if (rest.length < end) break
      if (rest[0] !== NOTIFICATION) kept.push(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    return Buffer.concat(kept)
  }
}
