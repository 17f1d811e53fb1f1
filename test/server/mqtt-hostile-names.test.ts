/** A text of a client is never the key of a plain object of the library, and never ends the server. */
import { describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { RawMqtt } from '../_support/raw-mqtt.ts'

const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }
const NAMES = ['t/x', '__proto__', 'constructor', 'toString', '7', '__proto__/x', 'topic']
const subscribe = (messageId: number, topics: readonly string[]): object => ({
  ...{ cmd: 'subscribe', messageId },
  subscriptions: topics.map((topic) => ({ topic, qos: 1 })),
})
const publish = (topic: string): object => ({ cmd: 'publish', topic, payload: 'x', qos: 0 })

describe.each([
  ['3.1.1', 4, {}],
  ['5', 5, { properties: { sessionExpiryInterval: 3_600 } }],
] as const)('topic filters that are names of objects, version %s', (_version, protocolVersion, lasting) => {
  const open = (port: number, fields: object = {}): Promise<RawMqtt> =>
    RawMqtt.connect(port, { ...LOGIN, protocolVersion, ...fields })
  const receives = async (peer: RawMqtt): Promise<void> => {
    peer.send(...NAMES.map(publish))
    for (const topic of NAMES) expect(await peer.next('publish')).toMatchObject({ topic })
  }

  test('all in one SUBSCRIBE and one UNSUBSCRIBE → subscribed, then not', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const peer = await open(broker.mqttPort)
    peer.send(subscribe(1, NAMES))
    expect((await peer.next('suback')).granted).toEqual(NAMES.map(() => 1))
    await receives(peer)
    peer.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: NAMES })
    await peer.next('unsuback')
    peer.send(...NAMES.map(publish))
    expect(await peer.rest()).toEqual([])
  })

  test('in one piece with CONNECT → subscribed', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const peer = await open(broker.mqttPort)
    peer.send(subscribe(1, NAMES))
    expect(await peer.next('suback')).toMatchObject({ granted: NAMES.map(() => 1) })
    await receives(peer)
  })

  test('the session continues → subscribed', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const first = await open(broker.mqttPort, { clean: false, ...lasting })
    await first.next('connack')
    first.send(subscribe(1, NAMES))
    await first.next('suback')
    first.send({ cmd: 'disconnect' })
    await first.closed
    const second = await open(broker.mqttPort, { clean: false, ...lasting })
    expect(await second.next('connack')).toMatchObject({ sessionPresent: true })
    await receives(second)
  })
})
