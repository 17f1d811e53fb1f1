/**
 * Looks at what a client sends before the MQTT library does: what the standard forbids and the library lets through
 * ends the connection. Knows no socket. Fixed-header flags, second CONNECTs and the like are the library's.
 */
import { isUtf8 } from 'node:buffer'
import { type Packet, parser } from 'mqtt-packet'

/** Why a connection ends. */
export interface Refusal {
  /** For the log, with the clause of MQTT 3.1.1; MQTT 5 has the same rules. */
  readonly reason: string
  /** What to send before. */
  readonly reply?: Uint8Array
}

/** Bytes that a packet may have beside its payload: fixed header, topic, properties. */
export const PACKET_HEADERS = 4_096

/** [MQTT-3.1.2-2]: CONNACK, unacceptable protocol version. */
const WRONG_VERSION = Uint8Array.of(0x20, 2, 0, 1)
const LEVELS: Readonly<Record<string, readonly number[]>> = { MQIsdp: [3], MQTT: [4, 5] }

const CONNECT = 1
const PUBLISH = 3
const PUBACK = 4
const PUBCOMP = 7
const SUBSCRIBE = 8
const UNSUBSCRIBE = 10
const PINGREQ = 12

/** The bytes of one connection. */
export class PacketFilter {
  readonly #limit: number
  /** The beginning of a packet that cannot be judged before `#need` bytes of it are there. */
  #held: Buffer[] = []
  #heldBytes = 0
  #need = 0
  /** Bytes of a packet that was judged and has not arrived whole. */
  #skip = 0
  /** The protocol level; 0 before CONNECT. */
  #level = 0

  /** @param payloadLimit bytes; a packet may have {@link PACKET_HEADERS} more */
  constructor(payloadLimit: number) {
    this.#limit = payloadLimit + PACKET_HEADERS
  }

  /** @returns null when all of the bytes may be handed on */
  judge(chunk: Buffer): Refusal | null {
    let bytes = chunk
    if (this.#need > 0) {
      this.#held.push(chunk)
      this.#heldBytes += chunk.length
      if (this.#heldBytes < this.#need) return null
      bytes = Buffer.concat(this.#held)
      this.#held = []
      this.#need = 0
    }
    let at = Math.min(this.#skip, bytes.length)
    this.#skip -= at
    while (at < bytes.length) {
      const rest = at === 0 ? bytes : bytes.subarray(at)
      const found = this.#packet(rest)
      if (typeof found !== 'number') return found
      if (this.#need > 0) {
        this.#held = [rest]
        this.#heldBytes = rest.length
        return null
      }
      this.#skip = Math.max(0, found - rest.length)
      at += found
    }
    return null
  }

  /** @returns the bytes of the packet that begins here, or why it is refused; sets `#need` when it cannot tell yet */
  #packet(bytes: Buffer): number | Refusal {
    const type = (bytes[0] as number) >> 4
    if (this.#level === 0 && type !== CONNECT)
      return refusal('the first packet is not CONNECT [MQTT-3.1.0-1]')
    let start = 1
    let remaining = 0
    for (let factor = 1; ; factor *= 128) {
      if (start > 4) return refusal('the remaining length has more than four bytes (section 2.2.3)')
      if (start === bytes.length) return this.#wait(start + 1)
      const byte = bytes[start++] as number
      remaining += (byte & 127) * factor
      if (byte < 128) break
    }
    const end = start + remaining
    if (end > this.#limit) return refusal(`a packet has ${end} bytes, at most ${this.#limit} are taken`)
    const need = needed(type, bytes, start, end)
    if (bytes.length < need) return this.#wait(need)
    return this.#judge(type, bytes, start, end) ?? end
  }

  /** @param bytes begin with a packet, of which as many are there as are `needed` */
  #judge(type: number, bytes: Buffer, start: number, end: number): Refusal | null {
    if (type === PUBLISH) return publish(bytes, start, end)
    if (type >= PUBACK && type <= PUBCOMP) return identifier(bytes, start, end)
    if (type === SUBSCRIBE || type === UNSUBSCRIBE) return subscription(bytes.subarray(0, end), this.#level)
    if (type === PINGREQ && end > start) return refusal('PINGREQ has a payload (section 3.12)')
    if (type !== CONNECT || this.#level > 0) return null
    const name = bytes.toString('latin1', start + 2, start + 2 + length(bytes, start))
    const level = bytes[start + 2 + name.length] ?? 0
    if (Object.hasOwn(LEVELS, name) && !LEVELS[name]?.includes(level)) {
      return refusal(`protocol ${name}, level ${level} is not spoken here [MQTT-3.1.2-2]`, WRONG_VERSION)
    }
    this.#level = level
    return connect(bytes.subarray(0, end), level)
  }

  #wait(bytes: number): number {
    this.#need = bytes
    return 0
  }
}

/** How many bytes of a packet must be there to judge it. Of a PUBLISH those before its properties and payload. */
function needed(type: number, bytes: Buffer, start: number, end: number): number {
  if (type === CONNECT || type === SUBSCRIBE || type === UNSUBSCRIBE) return end
  if (type >= PUBACK && type <= PUBCOMP) return Math.min(end, start + 2)
  if (type !== PUBLISH) return start
  if (bytes.length < start + 2) return Math.min(end, start + 2)
  return Math.min(end, start + 2 + length(bytes, start) + 2)
}

function publish(bytes: Buffer, start: number, end: number): Refusal | null {
  const flags = bytes[0] as number
  const qos = (flags >> 1) & 3
  if (qos === 0 && flags & 8) return refusal('DUP is set with QoS 0 [MQTT-3.3.1-2]')
  const topicEnd = start + 2 + length(bytes, start)
  if (topicEnd > end) return refusal('the topic is longer than its packet (section 3.3.2)')
  if (!isPlain(bytes, start + 2, topicEnd)) return badText('a topic')
  return qos > 0 ? identifier(bytes, topicEnd, end) : null
}

function identifier(bytes: Buffer, at: number, end: number): Refusal | null {
  if (end < at + 2) return refusal('the packet identifier is missing (section 2.3.1)')
  return length(bytes, at) === 0 ? refusal('a packet identifier is 0 [MQTT-2.3.1-1]') : null
}

function connect(bytes: Buffer, level: number): Refusal | null {
  const packet = parse(bytes, level)
  if (packet instanceof Error) return refusal(packet.message)
  if (packet.cmd !== 'connect') return null
  const { clientId, username, password, will } = packet
  if (!arePlain([clientId, username, will?.topic], bytes))
    return badText('client id, user name or will topic')
  if (level < 5 && password !== undefined && username === undefined) {
    return refusal('a password comes without a user name [MQTT-3.1.2-22]')
  }
  if ((will?.qos as number) === 3) return refusal('the will has QoS 3 [MQTT-3.1.2-14]')
  if (will && (will.topic === '' || /[+#]/.test(will.topic))) {
    return refusal('the topic of the will is empty or has wildcards [MQTT-3.3.2-2]')
  }
  return null
}

/** SUBSCRIBE and UNSUBSCRIBE. */
function subscription(bytes: Buffer, level: number): Refusal | null {
  const packet = parse(bytes, level)
  if (packet instanceof Error) return refusal(packet.message)
  if (packet.cmd !== 'subscribe' && packet.cmd !== 'unsubscribe') return null
  const filters =
    packet.cmd === 'subscribe' ? packet.subscriptions.map(({ topic }) => topic) : packet.unsubscriptions
  if (packet.messageId === 0) return refusal('a packet identifier is 0 [MQTT-2.3.1-1]')
  if (filters.length === 0) return refusal('there is no topic filter [MQTT-3.8.3-3], [MQTT-3.10.3-2]')
  if (filters.includes('')) return refusal('a topic filter is empty [MQTT-4.7.3-1]')
  return arePlain(filters, bytes) ? null : badText('a topic filter')
}

/** One whole packet, by the library. */
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

/** [MQTT-1.5.3-1], [MQTT-1.5.3-2]: well-formed UTF-8 without U+0000, nor what section 1.5.3 advises against. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number
    if (byte >= 0x80) {
      const part = bytes.subarray(start, end)
      return isUtf8(part) && !UNWANTED.test(part.toString())
    }
    if (byte < 0x20 || byte === 0x7f) return false
  }
  return true
}

/** The same for texts that the library has decoded: what was no UTF-8 is not in `bytes` as it reads now. */
function arePlain(texts: readonly (string | undefined)[], bytes: Buffer): boolean {
  return texts.every((text = '') => {
    if (UNWANTED.test(text)) return false
    return !text.includes('\uFFFD') || bytes.includes(text)
  })
}

const UNWANTED = /[\p{Cc}\p{Noncharacter_Code_Point}]/u

function length(bytes: Buffer, at: number): number {
  return at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0
}

function badText(what: string): Refusal {
  return refusal(`${what} is not UTF-8, or has control characters (section 1.5.3)`)
}

function refusal(reason: string, reply?: Uint8Array): Refusal {
  return reply ? { reason, reply } : { reason }
}
