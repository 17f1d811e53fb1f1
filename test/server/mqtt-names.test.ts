/** People see the client id that a client gave, and its device id beside it, never the id of the session inside. */
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { RawMqtt } from '../_support/raw-mqtt.ts'

const LOGIN = { username: 'admin', password: ADMIN_PASSWORD }

test('log and $SYS: a client connects, subscribes, is refused, leaves → its own client id and its device id', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true, env: { WAYBILL_LOG_LEVEL: 'debug' } })
  const watcher = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, clientId: 'watcher' })
  await watcher.next('connack')
  watcher.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '$SYS/#', qos: 0 }] })
  await watcher.next('publish')
  const peer = await RawMqtt.connect(broker.mqttPort, { ...LOGIN, clientId: 'mqttjs_1' })
  await peer.next('connack')
  const seen = async (topic: RegExp): Promise<string> => {
    const packet = await watcher.next('publish')
    expect(packet.topic).toMatch(topic)
    return String(packet.payload)
  }
  expect(await seen(/new\/clients$/)).toBe('mqttjs_1')
  peer.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a', qos: 0 }] })
  const names = { clientId: 'mqttjs_1', deviceId: 'admin' }
  expect(JSON.parse(await seen(/new\/subscribes$/))).toEqual({ ...names, subs: [{ topic: 'a', qos: 0 }] })
  peer.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['a'] })
  expect(JSON.parse(await seen(/new\/unsubscribes$/))).toEqual({ ...names, subs: ['a'] })
  peer.send({ cmd: 'publish', topic: '$SYS/x', payload: '', qos: 0 })
  const refused = await broker.server.logged(({ msg }) => /PUBLISH refused/.test(msg))
  expect(refused).toMatchObject(names)
  peer.send({ cmd: 'disconnect' })
  await peer.closed
  expect(await seen(/disconnect\/clients$/)).toBe('mqttjs_1')
  for (const line of broker.server.log) expect(JSON.stringify(line)).not.toContain('admin\\n')
  const left = broker.server.log.find(({ msg }) => msg === 'MQTT client disconnected')
  expect(left).toMatchObject(names)
})
