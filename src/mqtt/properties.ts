/** Checks the lengths and texts of the properties of an MQTT 5 packet (section 2.2.2). Knows no packets. */
import { isPlain } from './text.ts'

/** Encoding of a value: its number of bytes, or a kind that contains its length (section 1.5). */
type Kind = 1 | 2 | 4 | 'variable' | 'text' | 'bytes' | 'pair'

const KINDS = new Map<number, Kind>([
  ...kind(1, [0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2a]),
  ...kind(2, [0x13, 0x21, 0x22, 0x23]),
  ...kind(4, [0x02, 0x11, 0x18, 0x27]),
  ...kind('variable', [0x0b]),
  ...kind('text', [0x03, 0x08, 0x12, 0x15, 0x1a, 0x1c, 0x1f]),
  ...kind('bytes', [0x09, 0x16]),
  ...kind('pair', [0x26]),
])

/** Reads a variable byte integer: its value and its end; null when it is incomplete or has more than four bytes. */
function variable(bytes: Buffer, at: number, end: number): { value: number; end: number } | null {
  let value = 0
  for (let i = 0; i < 4 && at + i < end; i++) {
    const byte = bytes[at + i] as number
    value += (byte & 127) * 128 ** i
    if (byte < 128) return { value, end: at + i + 1 }
  }
  return null
}

/**
 * Checks the properties of a packet.
 *
 * @param at offset of their length
 * @param limit end of the packet
 * @returns the end of the properties, or the problem
 */
export function checkProperties(bytes: Buffer, at: number, limit: number): number | string {
  const length = variable(bytes, at, limit)
  const end = length ? length.end + length.value : limit + 1
  if (!length || end > limit) return OVERLONG
  let next = length.end
  while (next < end) {
    const name = variable(bytes, next, end)
    const kind = name && KINDS.get(name.value)
    if (!kind) return 'a property is unknown (section 2.2.2.2)'
    const found = checkValue(kind, bytes, name.end, end)
    if (typeof found === 'string') return found
    next = found
  }
  return end
}

const OVERLONG = 'the properties are longer than their packet (section 2.2.2)'

function checkValue(kind: Kind, bytes: Buffer, at: number, end: number): number | string {
  if (kind === 'pair') {
    const name = checkValue('text', bytes, at, end)
    return typeof name === 'string' ? name : checkValue('text', bytes, name, end)
  }
  const next = valueEnd(kind, bytes, at, end)
  if (next > end) return OVERLONG
  if (kind !== 'text' || isPlain(bytes, at + 2, next)) return next
  return 'a property is not UTF-8, or has control characters [MQTT-1.5.4-1], [MQTT-1.5.4-2]'
}

function valueEnd(kind: Exclude<Kind, 'pair'>, bytes: Buffer, at: number, end: number): number {
  if (typeof kind === 'number') return at + kind
  if (kind === 'variable') return variable(bytes, at, end)?.end ?? end + 1
  return at + 2 > end ? end + 1 : at + 2 + bytes.readUInt16BE(at)
}

function kind(is: Kind, properties: readonly number[]): [number, Kind][] {
  return properties.map((property) => [property, is])
}
