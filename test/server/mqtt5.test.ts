/** Behaviour of MQTT 5 that earlier versions do not have: sessions, delayed wills, limits of the client, reasons. */
import { generate, type Packet } from 'mqtt-packet'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'

let broker: BrokerUnderTest
beforeEach(async () => {
  const dataDir = await withClients('lamp', 'radio')
  broker = await BrokerUnderTest.start({ dataDir, mqtt: true, env: { MQTT_EXTRA_TOPICS: 'telemetry/#' } })
})

const connect = (options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({
    port: broker.mqttPort,
    username: 'lamp',
    password: PASSWORD,
    protocolVersion: 5,
    ...options,
  })
const publisher = (): Promise<MqttPeer> => connect({ username: 'radio' })

describe('session of version 5', () => {
  const kept = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 100 } }
  const once = { clientId: 'kept', clean: false }

  async function keptWith(text: string): Promise<void> {
    const before = await connect(kept)
    await before.subscribe('telemetry/x')
    await before.end()
    await (await publisher()).publish('telemetry/x', text)
  }

  test('Clean Start 0 without a session expiry → present, its messages arrive, and it ends with the connection', async () => {
    await keptWith('waited')
    const back = await connect(once)
    expect(back.connack.sessionPresent).toBe(true)
    expect(await back.next()).toMatchObject({ text: 'waited' })
    await back.end()
    expect((await connect(kept)).connack.sessionPresent).toBe(false)
  })

  test('Clean Start 1 → the earlier session and its messages are gone', async () => {
    await keptWith('waited')
    const back = await connect({ ...kept, clean: true })
    expect(back.connack.sessionPresent).toBe(false)
    expect(await back.rest()).toEqual([])
  })

  test('taken over, without a session expiry → the new connection begins without its session', async () => {
    const before = await connect(once)
    await before.subscribe('telemetry/x')
    const next = await connect(once)
    expect(next.connack.sessionPresent).toBe(false)
    await before.closed
    await (await publisher()).publish('telemetry/x', 'for no subscriber')
    expect(await next.rest()).toEqual([])
  })
})

describe('will of version 5', () => {
  const delayed = {
    clientId: 'mortal',
    clean: false,
    properties: { sessionExpiryInterval: 100 },
    will: {
      topic: 'telemetry/will',
      payload: Buffer.from('gone'),
      qos: 1,
      properties: { willDelayInterval: 100, contentType: 'text/plain' },
    },
  }

  test('with a delay, session ended by Clean Start → published without the delay', async () => {
    const heir = await publisher()
    await heir.subscribe('telemetry/will')
    const mortal = await connect(delayed)
    await mortal.drop()
    await heir.rest()
    await connect({ clientId: 'mortal', clean: true })
    const { text, packet } = await heir.next()
    expect(text).toBe('gone')
    expect(packet.properties).toEqual({ contentType: 'text/plain' })
  })

  test('with a delay, session resumed → not published', async () => {
    const heir = await publisher()
    await heir.subscribe('telemetry/will')
    await (await connect(delayed)).drop()
    await connect({ ...delayed, will: undefined })
    expect(await heir.rest()).toEqual([])
  })

  test('with a delay of 0 → published without it', async () => {
    const heir = await publisher()
    await heir.subscribe('telemetry/will')
    const mortal = await connect({
      ...delayed,
      will: { ...delayed.will, properties: { willDelayInterval: 0, contentType: 'text/plain' } },
    })
    await mortal.drop()
    expect((await heir.next()).packet.properties).toEqual({ contentType: 'text/plain' })
  })
})

describe('limits of a client of version 5', () => {
  test('receive maximum 1 → the next message follows PUBACK of the last; QoS 0 does not wait', async () => {
    const raw = await Client.connect(broker.mqttPort)
    let received = 0
    raw.onBytes((total) => {
      received = total
    })
    const five = (fields: object): Buffer => generate(fields as Packet, { protocolVersion: 5 })
    const login = { clientId: 'raw', keepalive: 0, clean: true, username: 'lamp', password: PASSWORD }
    const properties = { receiveMaximum: 1 }
    await raw.send(five({ cmd: 'connect', protocolVersion: 5, ...login, properties }))
    const subscriptions = [{ topic: 'telemetry/#', qos: 1 }]
    await raw.send(five({ cmd: 'subscribe', messageId: 7, subscriptions }))
    await raw.arrived(five({ cmd: 'suback', messageId: 7, granted: [1] }))
    const from = await publisher()
    await from.publish('telemetry/x', 'first')
    await from.publish('telemetry/x', 'x'.repeat(1_000))
    await from.publish('telemetry/y', 'at once', { qos: 0 })
    await raw.arrived('first')
    await raw.arrived('at once')
    expect(received).toBeLessThan(1_000)
    // The packet identifier stands before the empty properties.
    const head = await raw.bytesBefore('first')
    await raw.send(Buffer.concat([Buffer.of(0x40, 2), head.subarray(-3, -1)]))
    await raw.arrived('x'.repeat(1_000))
  })

  test('receive maximum 1, QoS 2 → the next message follows PUBCOMP', async () => {
    const peer = await connect({ properties: { receiveMaximum: 1 } })
    await peer.client.subscribeAsync('telemetry/x', { qos: 2 })
    const from = await publisher()
    for (const text of ['1', '2', '3']) await from.publish('telemetry/x', text, { qos: 2 })
    for (const text of ['1', '2', '3']) expect(await peer.next()).toMatchObject({ text })
  })

  test('maximum packet size → a larger message is not sent, and does not come again', async () => {
    const session = { clientId: 'small', clean: false }
    const properties = { maximumPacketSize: 64, sessionExpiryInterval: 100 }
    const peer = await connect({ ...session, properties })
    await peer.subscribe('telemetry/x')
    const from = await publisher()
    await from.publish('telemetry/x', 'x'.repeat(64))
    await from.publish('telemetry/x', 'small')
    expect(await peer.next()).toMatchObject({ text: 'small' })
    await peer.end()
    const back = await connect({ ...session, properties: { sessionExpiryInterval: 100 } })
    expect(await back.rest()).toEqual([])
  })

  test('a command of a size that the device does not accept → not sent, the device stays connected', async () => {
    const lamp = await connect({ properties: { maximumPacketSize: 150 } })
    await lamp.subscribe('consumer/request/lamp')
    await (await publisher()).publish('producer/request/lamp', { command: 'x'.repeat(100) })
    expect(await lamp.rest()).toEqual([])
  })
})

describe('message expiry of version 5, retained message', () => {
  afterEach(() => void vi.useRealTimers())

  test('before its end → sent with the seconds that are left; after it → not sent', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const properties = { messageExpiryInterval: 10 }
    await (await publisher()).publish('telemetry/x', 'brief', { retain: true, properties })
    vi.setSystemTime(Date.now() + 4_000)
    const early = await connect()
    await early.subscribe('telemetry/x')
    expect((await early.next()).packet).toMatchObject({
      retain: true,
      properties: { messageExpiryInterval: 6 },
    })
    vi.setSystemTime(Date.now() + 6_000)
    const late = await connect()
    await late.subscribe('telemetry/x')
    expect(await late.rest()).toEqual([])
  })
})

describe('subscriptions of version 5 that overlap', () => {
  test('a message that matches both → comes once, with both identifiers', async () => {
    const peer = await connect()
    const filters: [string, number][] = [
      ['telemetry/x', 2],
      ['telemetry/#', 3],
      ['telemetry/y', 4],
    ]
    for (const [filter, subscriptionIdentifier] of filters) {
      await peer.client.subscribeAsync(filter, { qos: 1, properties: { subscriptionIdentifier } })
    }
    await (await publisher()).publish('telemetry/x', 'both')
    expect((await peer.next()).packet.properties).toEqual({ subscriptionIdentifier: [2, 3] })
    expect(await peer.rest()).toEqual([])
  })

  test('one that matches one of them → its identifier alone', async () => {
    const peer = await connect()
    await peer.client.subscribeAsync('telemetry/x', { qos: 1, properties: { subscriptionIdentifier: 2 } })
    await (await publisher()).publish('telemetry/x', 'one')
    expect((await peer.next()).packet.properties).toEqual({ subscriptionIdentifier: 2 })
  })
})

describe('refused message of version 5', () => {
  async function refusal(options: object, topic: string, payload = 'x', qos = 1) {
    const peer = await connect(options)
    const answer = peer.packet(qos === 1 ? 'puback' : 'pubrec')
    await peer.publish(topic, payload, { qos }).catch(() => {})
    return answer
  }

  test('a topic that is not allowed → 0x87 with the reason', async () => {
    const { reasonCode, properties } = await refusal({}, 'weather')
    expect(reasonCode).toBe(0x87)
    expect(properties).toEqual({
      reasonString: expect.stringMatching(/may not publish to "weather"\. .*MQTT_EXTRA_TOPICS/),
    })
  })

  test('a payload that is no command → 0x99 with the reason, also with QoS 2', async () => {
    for (const qos of [1, 2]) {
      const { reasonCode, properties } = await refusal({}, 'producer/request/lamp', '{', qos)
      expect(reasonCode).toBe(0x99)
      expect(properties).toEqual({ reasonString: expect.stringMatching(/JSON/) })
    }
  })

  test.each([
    ['the client wants no reasons', { requestProblemInformation: false }],
    ['the reason exceeds its maximum packet size', { maximumPacketSize: 20 }],
  ])('%s → the code alone', async (_name, properties) => {
    const answer = await refusal({ properties }, 'weather')
    expect(answer.reasonCode).toBe(0x87)
    expect(answer.properties).toBeUndefined()
  })
})
