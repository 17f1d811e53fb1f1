/**
 * Builds MQTT packets with hostile texts, odd properties and broken parts. The same random numbers build the same
 * packets.
 */

export interface HostilePacket {
  readonly bytes: Buffer
  /** False if the server has to wait for more bytes, so that nothing after the packet is answered. */
  readonly isWhole: boolean
}

const TYPES = { CONNECT: 1, PUBLISH: 3, PUBREL: 6, SUBSCRIBE: 8, UNSUBSCRIBE: 10 } as const
/** Names that every object of JavaScript has, or that have a meaning in one. */
const RESERVED = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then'],
  ...['length', '__defineGetter__', 'topic', 'qos', 'null', 'undefined', 'true', 'NaN'],
]
const NUMBERS = ['0', '7', '3', '-1', '1.5', '1e3', '4294967295', '9007199254740993', '00']
const FILTERS = [
  '#',
  '+',
  '/',
  '//',
  '+/+',
  'a/+/b',
  'a/#',
  'a/#/b',
  '+a',
  'a+',
  '#/a',
  '$SYS/#',
  '$share/g/t',
  '$share/',
  '$',
]
const ODD_TEXTS = [
  '',
  ' ',
  'é',
  '𝄞',
  '\ufeff',
  '\u0000',
  'a\nb',
  '\u007f',
  '\uffff',
  't/'.repeat(120),
  'x'.repeat(65_535),
]
/** Bytes that are not UTF-8. */
const ODD_BYTES = ['ff', 'c328', 'eda080', 'f4908080'].map((hex) => Buffer.from(hex, 'hex'))
/** Properties of MQTT 5 by identifier, with the kind of their value. */
const PROPERTIES: readonly (readonly [number, 'text' | 'pair' | 'variable' | 1 | 2 | 4])[] = [
  ...([
    [0x01, 1],
    [0x02, 4],
    [0x03, 'text'],
    [0x08, 'text'],
    [0x09, 'text'],
    [0x0b, 'variable'],
  ] as const),
  ...([
    [0x11, 4],
    [0x12, 'text'],
    [0x13, 2],
    [0x15, 'text'],
    [0x16, 'text'],
    [0x17, 1],
    [0x18, 4],
  ] as const),
  ...([
    [0x19, 1],
    [0x1a, 'text'],
    [0x1c, 'text'],
    [0x1f, 'text'],
    [0x21, 2],
    [0x22, 2],
    [0x23, 2],
  ] as const),
  ...([
    [0x24, 1],
    [0x25, 1],
    [0x26, 'pair'],
    [0x27, 4],
    [0x28, 1],
    [0x29, 1],
    [0x2a, 1],
    [0x7f, 1],
  ] as const),
]
/** Properties that a packet may have, by its type. */
const ALLOWED: Readonly<Record<number, readonly number[]>> = {
  1: [0x11, 0x17, 0x19, 0x21, 0x26, 0x27],
  3: [0x01, 0x02, 0x03, 0x08, 0x09, 0x26],
  8: [0x0b, 0x26],
}

export class HostileMqtt {
  readonly #random: () => number
  /** Recent texts, so that texts are repeated in a packet and between packets. */
  readonly #recent: string[] = ['t/a', 't/b']

  constructor(random: () => number) {
    this.#random = random
  }

  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  chance(probability: number): boolean {
    return this.#random() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** Returns a text, mostly one that the server accepts. */
  text(): string | Buffer {
    const kind = this.#random()
    if (kind < 0.02) return this.pick(ODD_BYTES)
    if (kind < 0.06) return this.pick(ODD_TEXTS)
    const text = this.#plainText(kind)
    this.#recent[this.below(12)] = text
    return text
  }

  /** Builds a CONNECT. @param login user name and password, or hostile ones */
  connect(version: number, login: { readonly username: string; readonly password: string } | null): Buffer {
    const isOdd = this.chance(0.15)
    const will = this.chance(0.3)
    const clean = this.chance(0.4)
    const flags =
      0xc0 | (will ? 4 | (this.below(isOdd ? 4 : 3) << 3) | (this.below(2) << 5) : 0) | (clean ? 2 : 0)
    const parts = [
      ...[
        text(version === 3 ? 'MQIsdp' : 'MQTT'),
        Buffer.of(version | (this.chance(0.05) && version < 5 ? 0x80 : 0)),
      ],
      ...[Buffer.of(isOdd && this.chance(0.1) ? this.below(256) : flags), u16(this.pick([0, 0, 60, 65_535]))],
      ...(version === 5 ? [this.#properties(TYPES.CONNECT, isOdd)] : []),
      text(this.chance(0.7) ? this.pick(['one', 'two', '__proto__', '7', '']) : this.text()),
      ...(will ? this.#will(version, isOdd) : []),
      ...[text(login?.username ?? this.text()), text(login?.password ?? this.text())],
    ]
    return whole(TYPES.CONNECT << 4, Buffer.concat(parts))
  }

  packet(version: number): HostilePacket {
    const bytes = this.#any(version)
    if (!this.chance(0.015)) return { bytes, isWhole: true }
    const broken = Buffer.from(bytes)
    const isShort = this.chance(0.3)
    if (isShort) return { bytes: broken.subarray(0, 1 + this.below(broken.length)), isWhole: false }
    broken[this.below(broken.length)] = this.below(256)
    return { bytes: broken, isWhole: false }
  }

  #any(version: number): Buffer {
    const kind = this.#random()
    const isOdd = this.chance(0.04)
    if (kind < 0.4) return this.#publish(version, isOdd)
    if (kind < 0.6) return this.#subscribe(version, isOdd)
    if (kind < 0.75) return this.#unsubscribe(version, isOdd)
    if (kind < 0.94) return this.#acknowledgement(version, isOdd)
    if (kind < 0.985) return whole(0xc0, Buffer.alloc(0))
    if (kind < 0.99) return whole(0xe0, version === 5 && isOdd ? Buffer.of(this.below(256)) : Buffer.alloc(0))
    if (kind < 0.993) return whole(0xf0, Buffer.of(this.pick([0x18, 0x19, 0])))
    if (kind < 0.996) return this.connect(version, null)
    return whole(this.below(256), Buffer.from(Array.from({ length: this.below(20) }, () => this.below(256))))
  }

  #publish(version: number, isOdd: boolean): Buffer {
    const qos = this.below(isOdd ? 4 : 3)
    const flags = (qos << 1) | (this.chance(0.1) ? 1 : 0) | (qos > 0 && this.chance(0.1) ? 8 : 0)
    const topic = this.chance(0.4) ? this.#brokerTopic() : this.#topic()
    return whole(
      (TYPES.PUBLISH << 4) | flags,
      Buffer.concat([
        ...[text(topic), ...(qos > 0 ? [this.#identifier(isOdd)] : [])],
        ...[...(version === 5 ? [this.#properties(TYPES.PUBLISH, isOdd)] : []), this.#payload()],
      ]),
    )
  }

  #subscribe(version: number, isOdd: boolean): Buffer {
    const filters = Array.from({ length: this.#count(isOdd) }, () => [
      text(this.#filter()),
      Buffer.of(this.below(isOdd ? 256 : 3) | (version === 5 ? this.pick([0, 4, 8, 0x10, 0x20]) : 0)),
    ])
    const head = [
      this.#identifier(isOdd),
      ...(version === 5 ? [this.#properties(TYPES.SUBSCRIBE, isOdd)] : []),
    ]
    return whole(0x82, Buffer.concat([...head, ...filters.flat()]))
  }

  #unsubscribe(version: number, isOdd: boolean): Buffer {
    const filters = Array.from({ length: this.#count(isOdd) }, () => text(this.#filter()))
    const head = [
      this.#identifier(isOdd),
      ...(version === 5 ? [this.#properties(TYPES.SUBSCRIBE, true)] : []),
    ]
    // UNSUBSCRIBE has user properties alone.
    if (version === 5 && !isOdd) head[1] = Buffer.of(0)
    return whole(0xa2, Buffer.concat([...head, ...filters]))
  }

  /** Builds PUBACK, PUBREC, PUBREL or PUBCOMP, mostly for a message that was never sent. */
  #acknowledgement(version: number, isOdd: boolean): Buffer {
    const type = 4 + this.below(4)
    const more =
      version === 5 && this.chance(0.3)
        ? [Buffer.of(this.pick([0, isOdd ? 0x7f : type >= TYPES.PUBREL ? 0x92 : 0x80]))]
        : []
    const rest = more.length > 0 && this.chance(0.5) ? [isOdd ? this.#properties(4, true) : Buffer.of(0)] : []
    return whole(
      (type << 4) | (type === TYPES.PUBREL ? 2 : 0),
      Buffer.concat([this.#identifier(isOdd), ...more, ...rest]),
    )
  }

  #will(version: number, isOdd: boolean): Buffer[] {
    const delay = Buffer.from([5, 0x18, 0, 0, 0, this.below(3)])
    const properties = version === 5 ? [isOdd ? this.#properties(TYPES.CONNECT, true) : delay] : []
    return [
      ...properties,
      text(this.chance(0.4) ? this.#brokerTopic() : this.#topic()),
      text(this.#payload()),
    ]
  }

  #properties(type: number, isOdd: boolean): Buffer {
    const allowed = PROPERTIES.filter(([id]) => isOdd || ALLOWED[type]?.includes(id))
    const chosen = Array.from({ length: this.below(4) }, () => this.pick(allowed))
    const given = isOdd
      ? chosen
      : chosen.filter(([id], i) => id === 0x26 || chosen.findIndex(([other]) => other === id) === i)
    const bytes = Buffer.concat(
      given.map(([id, kind]) => Buffer.concat([Buffer.of(id), this.#value(kind, isOdd)])),
    )
    const length = isOdd && this.chance(0.2) ? this.below(100) : bytes.length
    return Buffer.concat([variable(length), bytes])
  }

  #value(kind: (typeof PROPERTIES)[number][1], isOdd: boolean): Buffer {
    if (kind === 'pair') return Buffer.concat([text(this.text()), text(this.text())])
    if (kind === 'text') return text(this.#topic())
    if (kind === 'variable') return variable(isOdd ? this.below(2) * 268_435_455 : 1 + this.below(5))
    if (kind === 1) return Buffer.of(this.below(isOdd ? 256 : 2))
    const bytes = Buffer.alloc(kind)
    // Avoids a value so small that the server may hardly send anything.
    bytes.writeUIntBE(isOdd ? this.below(256 ** kind) : 1_000 + this.below(60_000), 0, kind)
    return bytes
  }

  #payload(): Buffer {
    const kind = this.#random()
    if (kind < 0.1) return Buffer.from(Array.from({ length: this.below(40) }, () => this.below(256)))
    if (kind < 0.15) return Buffer.from('['.repeat(this.below(5_000)))
    const name = String(this.text()).slice(0, 300)
    const members = {
      ...{ id: this.below(50), command: name, deliveryStatus: this.pick(['COMPLETED', 'DELIVERED', name]) },
      ...{
        data: { [name]: name },
        believerGuarantee: this.pick(['NO', 'ONLY_LAST', 'RECEIPT_CONFIRMATION', name]),
      },
      messageBirthCertificate: { producerDeviseId: name, tmpId: name },
    }
    const all = Object.entries({ ...members, [name]: name, idempotencyKey: name, result: { [name]: [] } })
    // JSON.stringify writes the own key __proto__ too.
    return Buffer.from(JSON.stringify(Object.fromEntries(all.filter(() => this.chance(0.5)))))
  }

  #topic(): string | Buffer {
    const found = this.text()
    return typeof found === 'string' && /[+#$]/.test(found) ? 't/a' : found
  }

  #filter(): string | Buffer {
    if (this.chance(0.3)) return this.text()
    if (this.chance(0.2)) return this.#brokerTopic()
    return this.pick([...RESERVED, ...NUMBERS, ...this.#recent.filter((each) => each !== undefined)])
  }

  #brokerTopic(): string {
    const name = this.pick([
      'producer/request',
      'producer/cancel',
      'consumer/response',
      'consumer/request',
      'producer/response',
    ])
    return `${name}/${this.pick(['pump', '__proto__', 'constructor', '7', 'a/b', '', '+'])}`
  }

  #plainText(kind: number): string {
    if (kind < 0.3) return this.pick(RESERVED)
    if (kind < 0.45) return this.pick(NUMBERS)
    if (kind < 0.5) return this.pick(FILTERS)
    if (kind < 0.7) return this.pick(this.#recent.filter((each) => each !== undefined))
    return `t/${this.pick([...RESERVED, ...NUMBERS, 'x', 'y/z'])}`
  }

  #identifier(isOdd: boolean): Buffer {
    return u16(isOdd ? this.below(65_536) : 1 + this.below(20))
  }

  #count(isOdd: boolean): number {
    return isOdd ? this.below(40) : 1 + this.below(6)
  }
}

/** Puts the fixed header in front of a packet. */
function whole(first: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(first), variable(body.length), body])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value & 0xffff)
  return bytes
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value).subarray(0, 65_535)
  return Buffer.concat([u16(bytes.length), bytes])
}

/** Builds a variable byte integer. */
function variable(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0))
    if (rest < 128) return Buffer.from(bytes)
  }
}
