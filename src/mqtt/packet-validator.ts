/**
 * Validates packets before the MQTT library parses them, and ends the connection for violations of the standard that
 * the library accepts. The library itself checks the flags of the fixed header and rejects a second CONNECT. Knows no
 * socket.
 */
import { type IConnectPacket, type Packet, parser } from 'mqtt-packet'
import { beginsAsProxyHeader } from '../net/proxy-header.ts'
import { checkProperties, WILL } from './properties.ts'
import { type ProtocolViolation, REASON, violation, withReply } from './protocol-violation.ts'
import { checkReason } from './reason-codes.ts'
import { arePlain, isPlain } from './text.ts'

/** Maximum bytes of a packet without its payload: fixed header, topic, properties. */
export const PACKET_HEADERS = 4_096

/** CONNACK with return code 1, unacceptable protocol version [MQTT-3.1.2-2]. */
const WRONG_VERSION = Uint8Array.of(0x20, 2, 0, 1)
/**
 * Bit of the protocol level by which a bridge asks not to receive its own messages. mosquitto sets it before version 5.
 */
const BRIDGE = 0x80
const LEVELS: Readonly<Record<string, readonly number[]>> = {
  MQIsdp: [3, 3 | BRIDGE],
  MQTT: [4, 4 | BRIDGE, 5],
}

const NO_CONNECT = 'the first packet is not CONNECT [MQTT-3.1.0-1]'
const UNEXPECTED_PROXY_HEADER =
  'the connection begins with a PROXY protocol header, and the server does not accept headers from its address. Set mqtt.proxy-protocol to true and add the proxy to server.trusted-proxies'

export const CONNECT = 1
export const PUBLISH = 3
export const PUBACK = 4
const PUBREL = 6
export const PUBCOMP = 7
const SUBSCRIBE = 8
const UNSUBSCRIBE = 10
const PINGREQ = 12
export const DISCONNECT = 14
const AUTH = 15
const OF_CLIENTS = new Set([
  CONNECT,
  PUBACK,
  5,
  PUBREL,
  PUBCOMP,
  SUBSCRIBE,
  UNSUBSCRIBE,
  PINGREQ,
  DISCONNECT,
  AUTH,
])

export interface Frame {
  /** Packet type, 1 to 15 (section 2.2.1). */
  readonly type: number
  readonly bytes: Buffer
  readonly start: number
  /** Protocol level of the connection; 0 before CONNECT. */
  readonly level: number
}

/** Splits the bytes of one connection into packets and validates each. */
export class PacketValidator {
  readonly #limit: number
  readonly #publishLimit: number
  /** Chunks of an incomplete packet, and the number of bytes required to continue. */
  #held: Buffer[] = []
  #heldBytes = 0
  #need = 2
  #level = 0
  #connected = false
  /** True if CONNECT requested a session that ends with its connection (MQTT 5). */
  #expiresAtOnce = false

  /**
   * @param payloadLimit maximum bytes of a payload; a packet may have {@link PACKET_HEADERS} more
   * @param publishLimit maximum bytes of the payload of a PUBLISH; a topic may have a lower limit
   */
  constructor(payloadLimit: number, publishLimit = payloadLimit) {
    this.#limit = payloadLimit + PACKET_HEADERS
    this.#publishLimit = publishLimit + PACKET_HEADERS
  }

  /**
   * Reads the next bytes of the connection.
   *
   * @param give receives each valid packet, in order
   * @returns the violation that ends the connection, after `give` received the packets before it; null without one
   */
  read(chunk: Buffer, give: (frame: Frame) => void): ProtocolViolation | null {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes < this.#need) return null
    let bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held)
    for (;;) {
      const found = this.#next(bytes)
      if (typeof found === 'number') {
        this.#need = found
        break
      }
      if ('reason' in found) return withReply(found, this.#level, !this.#connected)
      this.#connected = true
      give(found)
      if (found.bytes.length === bytes.length) {
        this.#need = 2
        bytes = NO_BYTES
        break
      }
      bytes = bytes.subarray(found.bytes.length)
    }
    this.#held = bytes.length > 0 ? [bytes] : []
    this.#heldBytes = bytes.length
    return null
  }

  /** Returns the first packet, its violation, or the number of bytes required to decide. */
  #next(bytes: Buffer): Frame | ProtocolViolation | number {
    const type = (bytes[0] as number) >> 4
    const level = this.#level
    if (level === 0 && type !== CONNECT)
      return violation(beginsAsProxyHeader(bytes) ? UNEXPECTED_PROXY_HEADER : NO_CONNECT)
    let start = 1
    let remaining = 0
    for (let factor = 1; ; factor *= 128) {
      if (start > 4) return violation('the remaining length has more than four bytes (section 2.2.3)')
      if (start === bytes.length) return start + 1
      const byte = bytes[start++] as number
      remaining += (byte & 127) * factor
      if (byte < 128) break
    }
    const end = start + remaining
    const limit = type === PUBLISH ? this.#publishLimit : this.#limit
    if (end > limit) {
      const reason = `a packet has ${end} bytes, at most ${limit} are allowed`
      return violation(reason, REASON.PACKET_TOO_LARGE)
    }
    if (bytes.length < end) return end
    const frame = { type, bytes: bytes.length === end ? bytes : bytes.subarray(0, end), start, level }
    return this.#validate(frame) ?? frame
  }

  #validate(frame: Frame): ProtocolViolation | null {
    const { type, bytes, start, level } = frame
    if (type === PUBLISH) return publish(frame)
    const wrong = checkType(frame)
    if (wrong) return wrong
    if (type >= PUBACK && type <= PUBCOMP) {
      return identifier(bytes, start) ?? checkReason(type, bytes, start + 2, level)
    }
    if (type === SUBSCRIBE || type === UNSUBSCRIBE) return subscription(frame)
    if (type === DISCONNECT) return checkReason(type, bytes, start, level) ?? this.#checkExpiry(frame)
    if (type === AUTH) return checkReason(type, bytes, start, level)
    return type === CONNECT ? this.#connect(frame) : null
  }

  #connect({ bytes, start, level }: Frame): ProtocolViolation | null {
    if (level > 0) return violation('a second CONNECT [MQTT-3.1.0-2]', REASON.PROTOCOL_ERROR)
    const name = bytes.toString('latin1', start + 2, start + 2 + length(bytes, start))
    const asked = bytes[start + 2 + name.length] ?? 0
    if (Object.hasOwn(LEVELS, name) && !LEVELS[name]?.includes(asked)) {
      const reason = `protocol ${name}, level ${asked} is not supported [MQTT-3.1.2-2]`
      return { ...violation(reason), reply: WRONG_VERSION }
    }
    this.#level = asked & ~BRIDGE
    const packet = connect(bytes, start, this.#level)
    if ('reason' in packet) return packet
    this.#expiresAtOnce = this.#level >= 5 && !packet.properties?.sessionExpiryInterval
    return null
  }

  /** Checks the session expiry of a DISCONNECT: 0 in CONNECT cannot be changed (MQTT 5 section 3.14.2.2.2). */
  #checkExpiry({ bytes, start, level }: Frame): ProtocolViolation | null {
    if (!this.#expiresAtOnce || bytes.length <= start + 1) return null
    const packet = parse(bytes, level)
    const asked = 'cmd' in packet && packet.cmd === 'disconnect' && packet.properties?.sessionExpiryInterval
    if (!asked) return null
    return violation('DISCONNECT sets a session expiry that CONNECT did not', REASON.PROTOCOL_ERROR)
  }
}

const NO_BYTES = Buffer.alloc(0)

/** Checks the flags of the fixed header [MQTT-2.2.2-2], and that clients may send the packet. */
function checkType({ type, bytes, start }: Frame): ProtocolViolation | null {
  const flags = (bytes[0] as number) & 15
  const needed = type === PUBREL || type === SUBSCRIBE || type === UNSUBSCRIBE ? 2 : 0
  if (flags !== needed) return violation('the header flags are wrong [MQTT-2.2.2-2]')
  if (!OF_CLIENTS.has(type)) {
    return violation('a client may not send this packet (section 2.2.1)', REASON.PROTOCOL_ERROR)
  }
  const isOverlong = type === PINGREQ && bytes.length > start
  return isOverlong ? violation('PINGREQ has a payload (section 3.12)') : null
}

function publish({ bytes, start, level }: Frame): ProtocolViolation | null {
  const end = bytes.length
  const qos = qosOf(bytes)
  if (qos === 3) return violation('a PUBLISH has QoS 3 [MQTT-3.3.1-4]')
  if (qos === 0 && (bytes[0] as number) & 8) return violation('DUP is set with QoS 0 [MQTT-3.3.1-2]')
  const topicEnd = start + 2 + length(bytes, start)
  if (topicEnd > end) return violation('the topic is longer than its packet (section 3.3.2)')
  if (!isPlain(bytes, start + 2, topicEnd)) return badText('a topic')
  const wrong = qos > 0 ? identifier(bytes, topicEnd) : null
  return wrong ?? (level < 5 ? null : properties(bytes, qos > 0 ? topicEnd + 2 : topicEnd, PUBLISH))
}

export function qosOf(bytes: Buffer): number {
  return ((bytes[0] as number) >> 1) & 3
}

function properties(bytes: Buffer, at: number, place: number): ProtocolViolation | null {
  const found = checkProperties(bytes, at, bytes.length, place)
  return typeof found === 'number' ? null : found
}

function identifier(bytes: Buffer, at: number): ProtocolViolation | null {
  if (bytes.length < at + 2) return violation('the packet identifier is missing (section 2.3.1)')
  return length(bytes, at) === 0
    ? violation('a packet identifier is 0 [MQTT-2.3.1-1]', REASON.PROTOCOL_ERROR)
    : null
}

function connect(bytes: Buffer, start: number, level: number): IConnectPacket | ProtocolViolation {
  const wrong = level < 5 ? null : connectProperties(bytes, start)
  if (wrong) return wrong
  const packet = parse(bytes, level)
  if (packet instanceof Error) return violation(packet.message)
  if (packet.cmd !== 'connect') return violation(NO_CONNECT)
  const { clientId, username, password, will } = packet
  if (!arePlain([clientId], bytes)) return badText('a client id', REASON.CLIENT_ID_NOT_VALID)
  if (!arePlain([username, will?.topic], bytes)) return badText('a user name or the topic of a will')
  if (level < 5 && password !== undefined && username === undefined) {
    return violation('a password comes without a user name [MQTT-3.1.2-22]')
  }
  if ((will?.qos as number) === 3) return violation('the will has QoS 3 [MQTT-3.1.2-14]')
  if (will && (will.topic === '' || /[+#]/.test(will.topic))) {
    return violation('the topic of the will is empty or has wildcards [MQTT-3.3.2-2]')
  }
  return packet
}

/** Checks the properties of a CONNECT and of its will (section 3.1.3.2). */
function connectProperties(bytes: Buffer, start: number): ProtocolViolation | null {
  // The protocol name is followed by the level, the flags and the keep-alive.
  const flags = start + 2 + length(bytes, start) + 1
  const found = checkProperties(bytes, flags + 3, bytes.length, CONNECT)
  if (typeof found !== 'number') return found
  const hasWill = ((bytes[flags] ?? 0) & 4) !== 0
  return hasWill ? properties(bytes, found + 2 + length(bytes, found), WILL) : null
}

function subscription({ type, bytes, start, level }: Frame): ProtocolViolation | null {
  const wrong = level < 5 ? null : properties(bytes, start + 2, type)
  if (wrong) return wrong
  const packet = parse(bytes, level)
  if (packet instanceof Error) return violation(packet.message)
  if (packet.cmd !== 'subscribe' && packet.cmd !== 'unsubscribe') return null
  const filters =
    packet.cmd === 'subscribe' ? packet.subscriptions.map(({ topic }) => topic) : packet.unsubscriptions
  if (packet.messageId === 0) return violation('a packet identifier is 0 [MQTT-2.3.1-1]')
  if (filters.length === 0) return violation('there is no topic filter [MQTT-3.8.3-3], [MQTT-3.10.3-2]')
  if (filters.includes('')) return violation('a topic filter is empty [MQTT-4.7.3-1]')
  return arePlain(filters, bytes) ? null : badText('a topic filter')
}

function parse(bytes: Buffer, level: number): Packet | Error {
  let result: Packet | Error = new Error('a packet is shorter than its fields')
  const library = parser({ protocolVersion: level })
  library.on('packet', (packet) => {
    result = packet
  })
  library.on('error', (error) => {
    result = error as Error
  })
  library.parse(bytes)
  return result
}

function length(bytes: Buffer, at: number): number {
  return at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0
}

function badText(what: string, code?: ProtocolViolation['code']): ProtocolViolation {
  return violation(`${what} is not UTF-8, or has control characters (section 1.5.3)`, code)
}
