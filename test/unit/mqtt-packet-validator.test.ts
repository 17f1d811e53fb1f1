/** Packets that are refused before the MQTT library reads them, independent of how the bytes are cut. */
import fc from 'fast-check'
import { generate, type Packet } from 'mqtt-packet'
import { describe, expect, test } from 'vitest'
import { PACKET_HEADERS, PacketValidator } from '../../src/mqtt/packet-validator.ts'
import type { ProtocolViolation } from '../../src/mqtt/protocol-violation.ts'

const LIMIT = 1_000
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const packet = (fields: object, protocolVersion = 4): Buffer =>
  generate(fields as Packet, { protocolVersion })
const connect = (fields: object = {}): Buffer =>
  packet({ cmd: 'connect', clientId: 'c', clean: true, keepalive: 0, ...fields })
const publish = (fields: object = {}): Buffer =>
  packet({ cmd: 'publish', topic: 'a/b', payload: 'x', qos: 1, messageId: 7, ...fields })
const subscribe = (topic: string, messageId = 1): Buffer =>
  packet({ cmd: 'subscribe', messageId, subscriptions: [{ topic, qos: 0 }] })
/** Returns the bytes with others in the place of the text "XX". */
const put = (bytes: Buffer, instead: string): Buffer => {
  const at = bytes.indexOf('XX')
  return Buffer.concat([bytes.subarray(0, at), hex(instead), bytes.subarray(at + 2)])
}

const read = (validator: PacketValidator, bytes: Buffer): ProtocolViolation | null =>
  validator.read(bytes, () => {})

/** Returns the reason why a client that sends these packets is cut off; null when it is not. */
function judged(...packets: Buffer[]): string | null {
  return read(new PacketValidator(LIMIT), Buffer.concat(packets))?.reason ?? null
}

describe('valid packet', () => {
  test.each([
    ['CONNECT 3.1', connect({ protocolId: 'MQIsdp', protocolVersion: 3 })],
    ['CONNECT 3.1.1', connect()],
    ['CONNECT 5', connect({ protocolVersion: 5, properties: { sessionExpiryInterval: 5 } })],
    [
      'CONNECT with all',
      connect({ username: 'ä', password: 'b', will: { topic: 'w', payload: 'p', qos: 2 } }),
    ],
    ['a client id with U+FFFD', connect({ clientId: 'x\uFFFDy' })],
  ])('%s → passed on', (_name, bytes) => {
    expect(judged(bytes)).toBeNull()
  })

  test.each([
    ['PUBLISH', publish()],
    ['PUBLISH of QoS 0 without payload', publish({ qos: 0, payload: '' })],
    ['PUBLISH to a topic of many bytes', publish({ topic: 'gerät/日本語/🎛' })],
    ['a payload of zeroes', publish({ payload: Buffer.alloc(100) })],
    ['the largest payload', publish({ payload: Buffer.alloc(LIMIT) })],
    ['PUBACK', packet({ cmd: 'puback', messageId: 65_535 })],
    ['SUBSCRIBE', subscribe('#')],
    ['UNSUBSCRIBE', packet({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: ['a'] })],
    ['PINGREQ, DISCONNECT', Buffer.concat([packet({ cmd: 'pingreq' }), packet({ cmd: 'disconnect' })])],
  ])('%s → passed on', (_name, bytes) => {
    expect(judged(connect(), bytes, publish())).toBeNull()
  })
})

describe('invalid packet', () => {
  test.each([
    ['something else than CONNECT', publish(), /\[MQTT-3.1.0-1\]/],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /\[MQTT-3.1.0-1\]/],
    ['flags in CONNECT', hex('11 0d 00 04 4d 51 54 54 04 02 00 00 00 01 63'), /header flag/i],
    ['the reserved flag of CONNECT', hex('10 0d 00 04 4d 51 54 54 04 03 00 00 00 01 63'), /flag bit 0/],
    ['another protocol', hex('10 0d 00 04 4d 51 54 55 04 02 00 00 00 01 63'), /protocolId/],
    ['MQTT level 6', hex('10 0d 00 04 4d 51 54 54 06 02 00 00 00 01 63'), /\[MQTT-3.1.2-2\]/],
    ['a bridge of MQTT level 5', hex('10 0d 00 04 4d 51 54 54 85 02 00 00 00 01 63'), /\[MQTT-3.1.2-2\]/],
    ['MQIsdp level 4', hex('10 0f 00 06 4d 51 49 73 64 70 04 02 00 00 00 01 63'), /\[MQTT-3.1.2-2\]/],
    ['a client id that is no UTF-8', put(connect({ clientId: 'XX' }), 'c3 28'), /UTF-8/],
    ['half a surrogate', put(connect({ clientId: 'XX_' }), 'ed a0'), /UTF-8/],
    ['U+0000 in the user name', connect({ username: 'a\0', password: '' }), /UTF-8/],
    ['U+FFFE in the client id', connect({ clientId: '\uFFFE' }), /UTF-8/],
    ['a CONNECT that is too short', hex('10 0c 00 04 4d 51 54 54 04 02 00 00 00 05'), /./],
    ['a will of QoS 3', hex('10 13 00 04 4d 51 54 54 04 1e 00 00 00 01 63 00 01 77 00 01 78'), /3.1.2-14/],
    ['a will with a wildcard', connect({ will: { topic: 'a/+', payload: '', qos: 0 } }), /wildcards/],
    ['a password alone', hex('10 10 00 04 4d 51 54 54 04 42 00 00 00 01 63 00 01 70'), /3.1.2-22/],
  ])('%s → refused', (_name, bytes, why) => {
    expect(judged(bytes)).toMatch(why)
  })

  test.each([
    ['DUP with QoS 0', hex('38 04 00 01 61 78'), /3.3.1-2/],
    ['packet id 0 in PUBLISH', hex('32 05 00 01 61 00 00'), /2.3.1-1/],
    ['packet id 0 in PUBACK', hex('40 02 00 00'), /2.3.1-1/],
    ['packet id 0 in SUBSCRIBE', hex('82 06 00 00 00 01 61 00'), /2.3.1-1/],
    ['no packet id', hex('40 01 01'), /identifier is missing/],
    ['no packet id in PUBLISH', hex('32 03 00 01 61'), /identifier is missing/],
    ['a topic longer than its packet', hex('30 03 00 05 61'), /longer than its packet/],
    ['a topic that is no UTF-8', put(publish({ topic: 'XX' }), 'ff fe'), /UTF-8/],
    ['a control character in a topic', publish({ topic: 'a\x07' }), /control/],
    ['U+0085 in a topic', publish({ topic: 'ab\x85' }), /control/],
    ['U+0000 in a filter', subscribe('a\0b'), /UTF-8/],
    ['a filter that is no UTF-8', put(subscribe('XX'), 'c3 28'), /UTF-8/],
    ['SUBSCRIBE without filters', hex('82 02 00 01'), /3.8.3-3/],
    ['an empty filter', hex('82 05 00 01 00 00 00'), /4.7.3-1/],
    ['UNSUBSCRIBE without filters', hex('a2 02 00 01'), /3.10.3-2/],
    ['PINGREQ with a payload', hex('c0 01 00'), /PINGREQ/],
    ['a remaining length of five bytes', hex('30 ff ff ff ff 01'), /2.2.3/],
    [
      'a packet that is too large',
      publish({ payload: Buffer.alloc(LIMIT + PACKET_HEADERS) }),
      /at most 5096/,
    ],
  ])('%s → refused', (_name, bytes, why) => {
    expect(judged(connect(), bytes)).toMatch(why)
  })
})

describe('packet of version 5', () => {
  const five = (fields: object): Buffer => packet(fields, 5)
  const connected = (fields: object = {}): Buffer => connect({ protocolVersion: 5, ...fields })
  /** Returns a packet of each type with these properties; CONNECT with and without a will. */
  const packets = (userProperties: object): [string, Buffer[]][] => {
    const properties = { userProperties }
    const later: [string, object][] = [
      ['PUBLISH', { cmd: 'publish', topic: 'a', payload: 'x', qos: 1, messageId: 7, properties }],
      ['PUBLISH of QoS 0', { cmd: 'publish', topic: 'a', payload: 'x', qos: 0, properties }],
      ['PUBACK', { cmd: 'puback', messageId: 7, reasonCode: 0, properties }],
      ['PUBCOMP', { cmd: 'pubcomp', messageId: 7, reasonCode: 0, properties }],
      ['SUBSCRIBE', { cmd: 'subscribe', messageId: 1, properties, subscriptions: [{ topic: 'a', qos: 0 }] }],
      ['UNSUBSCRIBE', { cmd: 'unsubscribe', messageId: 1, properties, unsubscriptions: ['a'] }],
      ['DISCONNECT', { cmd: 'disconnect', reasonCode: 0, properties }],
    ]
    return [
      ['CONNECT', [connected({ properties })]],
      ['a will', [connected({ will: { topic: 'w', payload: 'p', qos: 0, properties } })]],
      ...later.map(([name, fields]): [string, Buffer[]] => [name, [connected(), five(fields)]]),
    ]
  }

  test.each(packets({ größe: '12 µm' }))('properties of %s → passed on', (_name, sent) => {
    expect(judged(...sent)).toBeNull()
  })

  test.each(packets({ name: 'a\0' }))('a NUL in a property of %s → refused', (_name, sent) => {
    expect(judged(...sent)).toMatch(/\[MQTT-1.5.4-2\]/)
  })

  test.each(packets({ XX: '' }))('a property of %s that is no UTF-8 → refused', (_name, sent) => {
    const last = sent.at(-1) as Buffer
    expect(judged(...sent.slice(0, -1), put(last, 'c3 28'))).toMatch(/\[MQTT-1.5.4-1\]/)
  })

  test('other texts → checked; bytes and numbers → passed on', () => {
    const sent = (properties: object): string | null =>
      judged(connected(), five({ cmd: 'publish', topic: 'a', payload: 'x', qos: 0, properties }))
    const correlationData = Buffer.from('00ff0a', 'hex')
    const numbers = { payloadFormatIndicator: true, messageExpiryInterval: 7 }
    expect(sent({ correlationData, ...numbers, contentType: 'text/plain', responseTopic: 'b' })).toBeNull()
    expect(sent({ correlationData, ...numbers, contentType: 'a\x07' })).toMatch(/control/)
    expect(sent({ correlationData, ...numbers, responseTopic: '\uFFFE' })).toMatch(/control/)
  })

  test.each([
    ['longer than their packet', '30 06 00 01 61 05 08 00', /longer than their packet/],
    ['with a text longer than they are', '30 08 00 01 61 04 08 00 05 61', /longer than their packet/],
    ['of a length of five bytes', '30 08 00 01 61 ff ff ff ff 01', /longer than their packet/],
    ['of an unknown kind', '30 06 00 01 61 02 7f 00', /is unknown/],
  ])('properties %s → refused', (_name, bytes, why) => {
    expect(judged(connected(), hex(bytes))).toMatch(why)
  })

  test('bytes cut in any way → the same result', () => {
    const all = [...packets({ name: 'plain' }), ...packets({ name: 'a\0' })].map(([, sent]) => sent)
    for (const sent of all) {
      const whole = judged(...sent)
      for (const step of [1, 2, 3, 7]) {
        const validator = new PacketValidator(LIMIT)
        const bytes = Buffer.concat(sent)
        let found: string | null = null
        for (let at = 0; at < bytes.length && found === null; at += step) {
          found = read(validator, bytes.subarray(at, at + step))?.reason ?? null
        }
        expect(found).toBe(whole)
      }
    }
  })
})

test('an unknown protocol level: another fault in the packet → CONNACK 1 all the same', () => {
  const validator = new PacketValidator(LIMIT)
  const refusal = read(validator, hex('10 0d 00 04 4d 51 54 54 07 02 00 00 00 01 63'))
  expect(refusal?.reply).toEqual(Uint8Array.of(0x20, 2, 0, 1))
})

test('a large packet: its header alone → refused', () => {
  const validator = new PacketValidator(LIMIT)
  expect(read(validator, connect())).toBeNull()
  expect(read(validator, hex('30 ff ff'))).toBeNull()
  expect(read(validator, hex('7f'))?.reason).toMatch(/a packet has 2097155 bytes/)
})

test('random sessions: bytes cut in any way → the same packets and the same refusal', () => {
  const good = [
    publish(),
    publish({ qos: 0, payload: Buffer.alloc(300) }),
    publish({ topic: 'ä/日本' }),
    subscribe('a/+'),
    packet({ cmd: 'puback', messageId: 3 }),
    packet({ cmd: 'pingreq' }),
  ]
  const bad = [
    hex('40 02 00 00'),
    put(subscribe('XX'), 'c3 28'),
    publish({ topic: 'a\0' }),
    hex('82 02 00 01'),
  ]
  const session = fc.record({
    good: fc.array(fc.constantFrom(...good), { maxLength: 8 }),
    last: fc.constantFrom(...good, ...bad),
    cuts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
  })
  fc.assert(
    fc.property(session, (given) => {
      const sent = [connect(), ...given.good, given.last]
      const bytes = Buffer.concat(sent)
      const whole = read(new PacketValidator(LIMIT), bytes)?.reason
      const validator = new PacketValidator(LIMIT)
      const frames: Buffer[] = []
      let found: string | undefined
      for (let at = 0, i = 0; at < bytes.length && found === undefined; i++) {
        const cut = given.cuts[i % given.cuts.length] as number
        found = validator.read(bytes.subarray(at, at + cut), (frame) => frames.push(frame.bytes))?.reason
        at += cut
      }
      expect(frames).toEqual(whole === undefined ? sent : sent.slice(0, -1))
      expect(found).toBe(whole)
      expect(whole !== undefined).toBe(bad.includes(given.last))
    }),
  )
})
