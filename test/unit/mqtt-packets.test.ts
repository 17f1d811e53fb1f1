/** Packets that bypass the MQTT library equal those of the library, byte for byte. */
import { generate } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { puback, publish } from '../../src/mqtt/packets.ts'

const TOPIC = 'consumer/request/pümp'
/** Bytes beside the payload: the topic with its length, and a packet identifier. */
const FIELDS = 2 + Buffer.byteLength(TOPIC) + 2

// The remaining length has one byte up to 127, two up to 16,383, three up to 2,097,151 (section 2.2.3).
test.each([100, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])(
  'PUBLISH: remaining length %i → the bytes of the library',
  (remaining) => {
    const payload = '€'.padEnd(remaining - FIELDS - 2, 'x')
    const packet = { cmd: 'publish', topic: TOPIC, payload, dup: false, retain: false } as const
    for (const messageId of [1, 65_535]) {
      const expected = generate({ ...packet, qos: 1, messageId })
      expect(publish(TOPIC, payload, messageId).equals(expected)).toBe(true)
    }
    expect(publish(TOPIC, payload, null).equals(generate({ ...packet, qos: 0 }))).toBe(true)
  },
)

test.each([1, 255, 256, 65_535])('PUBACK: id %i → the bytes of the library', (messageId) => {
  expect(puback(messageId)).toEqual(generate({ cmd: 'puback', messageId }))
})
