/** Another broker connects as a bridge: protocol level 0x84 (0x83 in version 3.1), as mosquitto does before version 5. */
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { RawMqtt } from '../_support/raw-mqtt.ts'

const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }

test.each([
  ['3.1.1, clean session', { protocolId: 'MQTT', protocolVersion: 4, clean: true }],
  ['3.1.1, kept session', { protocolId: 'MQTT', protocolVersion: 4, clean: false }],
  ['3.1', { protocolId: 'MQIsdp', protocolVersion: 3, clean: true }],
])(
  'bridge of version %s: both directions → messages of others only, RETAIN as published',
  async (_name, fields) => {
    const broker = await BrokerUnderTest.start({ mqtt: true })
    const connect = { ...LOGIN, ...fields, bridgeMode: true, clientId: 'site.waybill' }
    const bridge = await RawMqtt.connect(broker.mqttPort, connect)
    expect(await bridge.next('connack')).toMatchObject({ returnCode: 0 })
    bridge.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'site/#', qos: 1 }] })
    expect(await bridge.next('suback')).toMatchObject({ granted: [1] })
    const other = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, clientId: 'other' })
    await other.next('connack')
    other.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'site/#', qos: 1 }] })
    await other.next('suback')
    const publish = { cmd: 'publish', topic: 'site/a', qos: 1, retain: true }
    other.send({ ...publish, messageId: 2, payload: 'of another' })
    expect(await bridge.next('publish')).toMatchObject({ payload: Buffer.from('of another'), retain: true })
    for (const messageId of [3, 4]) bridge.send({ ...publish, messageId, payload: 'its own' })
    expect(await other.next('publish')).toMatchObject({ payload: Buffer.from('of another'), retain: false })
    for (let i = 0; i < 2; i++) {
      expect(await other.next('publish')).toMatchObject({ payload: Buffer.from('its own'), retain: false })
    }
    expect((await bridge.rest()).filter(({ cmd }) => cmd === 'publish')).toEqual([])
    if (fields.clean) return
    // The queue of its session holds none of its own messages either, and still the one that it has not acknowledged.
    bridge.send({ cmd: 'disconnect' })
    await bridge.closed
    const again = await RawMqtt.connect(broker.mqttPort, connect)
    expect(await again.next('connack')).toMatchObject({ sessionPresent: true })
    expect(await again.next('publish')).toMatchObject({ payload: Buffer.from('of another') })
    expect((await again.rest()).filter(({ cmd }) => cmd === 'publish')).toEqual([])
  },
)
