/** SUBACK and UNSUBACK have one code for each filter of their packet, in the order of the filters [MQTT-3.9.3-1]. */
import { beforeEach, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { RawMqtt } from '../_support/raw-mqtt.ts'

/** A filter with more levels than the library can match. */
const DEEP = `t${'/a'.repeat(100)}`
const LOGIN = { username: 'lamp', password: PASSWORD }
type Asked = readonly [topic: string, qos: number]
const subscribe = (messageId: number, asked: readonly Asked[]): object => ({
  ...{ cmd: 'subscribe', messageId },
  subscriptions: asked.map(([topic, qos]) => ({ topic, qos })),
})
const unsubscribe = (messageId: number, ...unsubscriptions: string[]): object => ({
  ...{ cmd: 'unsubscribe', messageId, unsubscriptions },
})
const publish = (topic: string, qos = 0): object => ({
  cmd: 'publish',
  topic,
  payload: 'x',
  qos,
  messageId: 9,
})

describe.each([
  ['3.1.1', 4, true],
  ['3.1.1, kept session', 4, false],
  ['5', 5, true],
  ['5, kept session', 5, false],
] as const)('version %s', (_name, protocolVersion, clean) => {
  const isFive = protocolVersion === 5
  let peer: RawMqtt
  beforeEach(async () => {
    const env = { MQTT_EXTRA_TOPICS: 't/#' }
    const broker = await BrokerUnderTest.start({ mqtt: true, dataDir: await withClients('lamp'), env })
    const lasting = isFive && !clean && { properties: { sessionExpiryInterval: 3_600 } }
    peer = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, protocolVersion, clean, ...lasting })
    await peer.next('connack')
  })

  test('a filter three times → three codes; the last QoS counts', async () => {
    peer.send(
      subscribe(
        1,
        [0, 2, 1].map((qos) => ['t/x', qos]),
      ),
    )
    expect((await peer.next('suback')).granted).toEqual([0, 2, 1])
    peer.send(publish('t/x', 2))
    expect(await peer.next('publish')).toMatchObject({ topic: 't/x', qos: 1 })
  })

  test('numbers, and filters that are refused, between others → the codes are in the order of the filters', async () => {
    const [forbidden, shared] = isFive ? [0x87, 0x9e] : [0x80, 0x80]
    const asked: Asked[] = [
      ...([
        ['t/b', 2],
        ['7', 1],
        ['t/a', 0],
        ['$share/g/t/x', 1],
        ['3', 0],
      ] as const),
      ...([
        ['consumer/request/lamp', 1],
        ['other/topic', 1],
        [DEEP, 1],
        ['t/b', 0],
      ] as const),
    ]
    peer.send(subscribe(1, asked))
    const tooDeep = isFive ? 0x97 : 0x80
    expect((await peer.next('suback')).granted).toEqual([
      ...[2, forbidden, 0, shared, forbidden],
      ...[1, forbidden, tooDeep, 0],
    ])
  })

  test('UNSUBSCRIBE with filters that are not held, and one twice → a code for each', async () => {
    peer.send(
      subscribe(1, [
        ['t/x', 1],
        ['t/y', 1],
      ]),
    )
    await peer.next('suback')
    peer.send(unsubscribe(2, 't/9', 't/x', DEEP, 't/x'))
    const unsuback = await peer.next('unsuback')
    expect(unsuback.messageId).toBe(2)
    if (isFive) expect(unsuback.granted).toEqual([0x11, 0, 0x11, 0x11])
    peer.send(publish('t/x'), publish('t/y'))
    expect(await peer.next('publish')).toMatchObject({ topic: 't/y' })
  })

  test('SUBSCRIBE, UNSUBSCRIBE and PUBLISH in one piece → handled in their order', async () => {
    peer.send(
      ...[
        subscribe(1, [
          ['t/x', 1],
          ['t/y', 1],
        ]),
        publish('t/x'),
        unsubscribe(2, 't/x'),
        publish('t/x'),
      ],
      ...[subscribe(3, [['t/x', 1]]), unsubscribe(4, 't/x', 't/y'), publish('t/y'), publish('t/x')],
    )
    await peer.next('suback')
    expect(await peer.next('publish')).toMatchObject({ topic: 't/x' })
    for (const cmd of ['unsuback', 'suback', 'unsuback']) await peer.next(cmd)
    expect(await peer.rest()).toEqual([])
  })
})
