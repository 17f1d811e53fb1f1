/** Checks the properties that a client sends in an MQTT 5 packet (section 2.2.2). Knows no connection. */
import { type ProtocolViolation, REASON, violation } from './protocol-violation.ts'
import { isPlain } from './text.ts'

/** Place of properties: a packet type, or 0 for the properties of a will. */
type Place = number
export const WILL: Place = 0
const CONNECT = 1
const PUBLISH = 3
const SUBSCRIBE = 8
const DISCONNECT = 14
const AUTH = 15
const MESSAGE: readonly Place[] = [PUBLISH, WILL]
const SERVER_ONLY: readonly Place[] = []

/** Encoding of a value: its number of bytes, or a kind that contains its length (section 1.5). */
type Kind = 1 | 2 | 4 | 'variable' | 'text' | 'bytes' | 'pair'
type Rule = 'any' | '0 or 1' | 'not 0'

interface Property {
  readonly kind: Kind
  /** Places where a client may send the property; null for all. */
  readonly places: readonly Place[] | null
  readonly rule: Rule
}

const USER_PROPERTY = 0x26
const PROPERTIES = new Map<number, Property>([
  property(0x01, 1, MESSAGE, '0 or 1'), // payload format
  property(0x02, 4, MESSAGE), // message expiry
  property(0x03, 'text', MESSAGE), // content type
  property(0x08, 'text', MESSAGE, 'not 0'), // response topic
  property(0x09, 'bytes', MESSAGE), // correlation data
  property(0x0b, 'variable', [SUBSCRIBE], 'not 0'), // subscription identifier
  property(0x11, 4, [CONNECT, DISCONNECT]), // session expiry
  property(0x12, 'text', SERVER_ONLY), // assigned client identifier
  property(0x13, 2, SERVER_ONLY), // server keep-alive
  property(0x15, 'text', [CONNECT, AUTH]), // authentication method
  property(0x16, 'bytes', [CONNECT, AUTH]), // authentication data
  property(0x17, 1, [CONNECT], '0 or 1'), // request problem information
  property(0x18, 4, [WILL]), // will delay
  property(0x19, 1, [CONNECT], '0 or 1'), // request response information
  property(0x1a, 'text', SERVER_ONLY), // response information
  property(0x1c, 'text', SERVER_ONLY), // server reference
  property(0x1f, 'text', [4, 5, 6, 7, DISCONNECT, AUTH]), // reason string
  property(0x21, 2, [CONNECT], 'not 0'), // receive maximum
  property(0x22, 2, [CONNECT]), // topic alias maximum
  property(0x23, 2, [PUBLISH]), // topic alias
  property(0x24, 1, SERVER_ONLY), // maximum QoS
  property(0x25, 1, SERVER_ONLY), // retain available
  property(USER_PROPERTY, 'pair', null),
  property(0x27, 4, [CONNECT], 'not 0'), // maximum packet size
  property(0x28, 1, SERVER_ONLY), // wildcard subscription available
  property(0x29, 1, SERVER_ONLY), // subscription identifiers available
  property(0x2a, 1, SERVER_ONLY), // shared subscription available
])

/**
 * Reads a variable byte integer: its value and its end; null if it is incomplete, or has more bytes than needed or than
 * four [MQTT-1.5.5-1].
 */
function variable(bytes: Buffer, at: number, end: number): { value: number; end: number } | null {
  let value = 0
  for (let i = 0; i < 4 && at + i < end; i++) {
    const byte = bytes[at + i] as number
    value += (byte & 127) * 128 ** i
    if (byte < 128) return byte === 0 && i > 0 ? null : { value, end: at + i + 1 }
  }
  return null
}

/**
 * Checks the properties of a packet. A property that is repeated or stands in the wrong packet must not reach the
 * library, which parses a repeated interval as a list and then fails to start its timer.
 *
 * @param at offset of the properties' length
 * @param limit end of the packet
 * @returns the end of the properties, or the violation
 */
export function checkProperties(
  bytes: Buffer,
  at: number,
  limit: number,
  place: Place,
): number | ProtocolViolation {
  const length = variable(bytes, at, limit)
  const end = length ? length.end + length.value : limit + 1
  if (!length || end > limit) return violation(OVERLONG)
  let next = length.end
  const seen: number[] = []
  while (next < end) {
    const id = variable(bytes, next, end)
    const known = id && PROPERTIES.get(id.value)
    if (!known) return violation('a property is unknown (section 2.2.2.2)')
    const found = checkValue(known.kind, bytes, id.end, end)
    if (typeof found === 'string') return violation(found)
    const misused = checkUse(known, place) ?? checkRule(known, bytes, id.end, found)
    if (misused) return violation(misused, REASON.PROTOCOL_ERROR)
    if (id.value !== USER_PROPERTY && seen.includes(id.value)) {
      return violation('a property is repeated (section 2.2.2.2)', REASON.PROTOCOL_ERROR)
    }
    seen.push(id.value)
    next = found
  }
  return end
}

const OVERLONG = 'the properties are longer than their packet (section 2.2.2)'

/** Checks the place. Section 2.2.2.2 calls a wrong place malformed; mosquitto uses 0x82, and so does this server. */
function checkUse({ places }: Property, place: Place): string | null {
  if (places === null || places.includes(place)) return null
  return 'a property is not allowed in this packet (section 2.2.2.2)'
}

function checkRule({ kind, rule }: Property, bytes: Buffer, at: number, end: number): string | null {
  if (rule === 'any') return null
  const value = kind === 'text' ? end - at - 2 : bytes.readUIntBE(at, Math.min(end - at, 4))
  if (rule === 'not 0' ? value > 0 : value <= 1) return null
  return 'a property has a value that is not allowed (section 2.2.2)'
}

/** Returns the end of a value, or its problem. */
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
  switch (kind) {
    case 1:
    case 2:
    case 4:
      return at + kind
    case 'variable':
      return variable(bytes, at, end)?.end ?? end + 1
    case 'text':
    case 'bytes':
      return at + 2 > end ? end + 1 : at + 2 + bytes.readUInt16BE(at)
  }
}

function property(
  id: number,
  kind: Kind,
  places: readonly Place[] | null,
  rule: Rule = 'any',
): [number, Property] {
  return [id, { kind, places, rule }]
}
