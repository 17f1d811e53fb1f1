/** One scenario delivers commands over every combination of REST and MQTT. Further tests cover MQTT sessions. */
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { MqttPeer, VERSIONS } from '../_support/mqtt.ts'
import { databaseIn } from '../_support/stored.ts'

const env = { COMMON_SEND_MESSAGE_PERIOD: '0' }
const DATA = '{"big":12345678901234567890,"speed":1.0, "text":"\\u00e9"}'

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true, env })
})

const login = { username: 'admin', password: ADMIN_PASSWORD }
const connect = (options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port: broker.mqttPort, protocolVersion: 4, ...login, ...options })

interface Command {
  readonly id: number
  readonly command: string
  readonly believerGuarantee: string
}

/** A producer sends messages and observes their statuses. */
interface Producer {
  send(deviceId: string, guarantee: string, command?: string): Promise<void>
  /** Waits until its last message has this status. */
  until(status: string): Promise<void>
}

interface Consumer {
  receive(): Promise<Command>
  acknowledge(id: number, deliveryStatus: string): Promise<void>
}

const PRODUCERS: Record<string, (name: string) => Promise<Producer>> = {
  async REST() {
    let last = 0
    return {
      async send(deviceId, believerGuarantee, command = 'start') {
        const body = `{"command":"${command}","believerGuarantee":"${believerGuarantee}","data":${DATA}}`
        last = ((await broker.request(deviceId, body)).body as { id: number }).id
      },
      until: (status) => expect.poll(() => broker.status(last)).toBe(status),
    }
  },
  async MQTT(name) {
    const peer = await connect()
    await peer.subscribe(`producer/response/${name}`)
    let tmpId = 0
    return {
      async send(deviceId, believerGuarantee, command = 'start') {
        tmpId++
        const certificate = `{"tmpId":${tmpId},"producerDeviseId":"${name}"}`
        const body = `{"command":"${command}","believerGuarantee":"${believerGuarantee}","data":${DATA},"messageBirthCertificate":${certificate}}`
        await peer.publish(`producer/request/${deviceId}`, body)
        expect(JSON.parse((await peer.next()).text)).toEqual({
          id: expect.any(Number),
          tmpId,
          deliveryStatus: 'NOT_DELIVERED',
        })
      },
      async until(status) {
        expect(JSON.parse((await peer.next()).text)).toMatchObject({ tmpId, deliveryStatus: status })
      },
    }
  },
}

const CONSUMERS: Record<string, (deviceId: string) => Promise<Consumer>> = {
  async REST(deviceId) {
    return {
      async receive() {
        const { text, body } = await broker.poll(deviceId)
        expect(text).toContain(`"data":${DATA}`)
        return (body as [Command])[0]
      },
      async acknowledge(id, deliveryStatus) {
        await broker.acknowledge(deviceId, { id, deliveryStatus })
      },
    }
  },
  async MQTT(deviceId) {
    const peer = await connect()
    await peer.subscribe(`consumer/request/${deviceId}`)
    return {
      async receive() {
        const { text, topic, packet } = await peer.next()
        expect([topic, packet.qos, packet.retain]).toEqual([`consumer/request/${deviceId}`, 1, false])
        expect(text).toContain(`"data":${DATA}`)
        return JSON.parse(text) as Command
      },
      acknowledge: (id, deliveryStatus) =>
        peer.publish(`consumer/response/${deviceId}`, { id, deliveryStatus }),
    }
  },
}

const COMBINATIONS = Object.keys(PRODUCERS).flatMap((from) => Object.keys(CONSUMERS).map((to) => [from, to]))

describe.each(COMBINATIONS)('command from %s to %s', (from, to) => {
  const open = async (name: string): Promise<[string, Producer, Consumer]> => {
    const deviceId = `${name}-${from}-${to}`
    const producer = await (PRODUCERS[from] as (typeof PRODUCERS)[string])(`app-${deviceId}`)
    return [deviceId, producer, await (CONSUMERS[to] as (typeof CONSUMERS)[string])(deviceId)]
  }

  test('acknowledged, then completed with an error → its producer sees both statuses', async () => {
    const [deviceId, producer, consumer] = await open('plain')
    await producer.send(deviceId, 'RECEIPT_CONFIRMATION')
    const { id, command } = await consumer.receive()
    expect(command).toBe('start')
    await consumer.acknowledge(id, 'DELIVERED')
    await producer.until('DELIVERED')
    await consumer.acknowledge(id, 'COMPLETED_WITH_ERROR')
    await producer.until('COMPLETED_WITH_ERROR')
  })

  test('guarantee NO, received → DELIVERED without an acknowledgement', async () => {
    const [deviceId, producer, consumer] = await open('no')
    await producer.send(deviceId, 'NO')
    await consumer.receive()
    await producer.until('DELIVERED')
  })
})

describe.each(VERSIONS)('device over MQTT level %i', (protocolVersion) => {
  const device = (name: string): string => `${name}-${protocolVersion}`

  test('it subscribes, three messages are pending → one at a time, in order', async () => {
    const deviceId = device('queue')
    const ids = [1, 2, 3].map((n) => broker.send(deviceId, { command: `c${n}` }))
    const sent = (await Promise.all(ids)).toSorted((a, b) => a - b)
    const peer = await connect({ protocolVersion })
    await peer.subscribe(`consumer/request/${deviceId}`)
    for (const id of sent) {
      expect(JSON.parse((await peer.next()).text)).toMatchObject({ id })
      expect(await peer.rest()).toEqual([])
      await peer.publish(`consumer/response/${deviceId}`, { id })
    }
  })

  test('its command is superseded while it is away → its session does not deliver the old one', async () => {
    const deviceId = device('session')
    const options = {
      protocolVersion,
      clientId: `s-${protocolVersion}`,
      clean: false,
      ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 600 } }),
    }
    const before = await connect(options)
    await before.subscribe(`consumer/request/${deviceId}`)
    const old = await broker.send(deviceId, { command: 'on', believerGuarantee: 'ONLY_LAST' })
    expect(JSON.parse((await before.next()).text)).toMatchObject({ id: old })
    await before.drop()
    const last = await broker.send(deviceId, { command: 'on', believerGuarantee: 'ONLY_LAST' })
    const after = await connect(options)
    expect(JSON.parse((await after.next()).text)).toMatchObject({ id: last })
    expect(await after.rest()).toEqual([])
  })

  test('it unsubscribes → no further command', async () => {
    const deviceId = device('gone')
    const peer = await connect({ protocolVersion })
    await peer.subscribe(`consumer/request/${deviceId}`)
    await peer.client.unsubscribeAsync(`consumer/request/${deviceId}`)
    const id = await broker.send(deviceId, { command: 'on', believerGuarantee: 'NO' })
    expect(await peer.rest()).toEqual([])
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })
})

test('wildcard subscription: a command without its device → not dispatched; with it → both get the command', async () => {
  const monitor = await connect()
  await monitor.subscribe('consumer/request/+')
  const id = await broker.send('watched', { command: 'on', believerGuarantee: 'NO' })
  expect(await monitor.rest()).toEqual([])
  expect(await broker.status(id)).toBe('NOT_DELIVERED')
  const device = await connect()
  await device.subscribe('consumer/request/watched')
  expect(JSON.parse((await monitor.next()).text)).toMatchObject({ id })
})

test('session that watches commands and acknowledgements: away for a while → gets each, also those sent meanwhile', async () => {
  const session = { clientId: 'auditor', clean: false }
  const auditor = await connect(session)
  await auditor.subscribe('consumer/response/#', 'producer/request/+')
  const device = await connect()
  await device.subscribe('consumer/request/audited')
  await device.publish('producer/request/audited', { command: 'on' })
  expect((await auditor.next()).topic).toBe('producer/request/audited')
  expect(await auditor.rest()).toEqual([])
  await auditor.end()
  const { id } = JSON.parse((await device.next()).text) as Command
  await device.publish('consumer/response/audited', { id, deliveryStatus: 'COMPLETED' })
  const again = await connect(session)
  const { topic, text } = await again.next()
  expect([topic, JSON.parse(text)]).toEqual([
    'consumer/response/audited',
    { id, deliveryStatus: 'COMPLETED' },
  ])
})

test('results over MQTT: a command is superseded → its producer gets CANCELLED; tmpId 0 → no results', async () => {
  const peer = await connect()
  await peer.subscribe('producer/response/app')
  const send = (tmpId: number) =>
    broker.send('cancelled', {
      command: 'on',
      believerGuarantee: 'ONLY_LAST',
      messageBirthCertificate: { tmpId, producerDeviseId: 'app' },
    })
  const [first, second] = [await send(7), await send(8)]
  await send(0)
  const results = [await peer.next(), await peer.next(), await peer.next(), await peer.next()]
  expect(results.map(({ text }) => JSON.parse(text))).toEqual([
    { id: first, tmpId: 7, deliveryStatus: 'NOT_DELIVERED' },
    { id: second, tmpId: 8, deliveryStatus: 'NOT_DELIVERED' },
    { id: first, tmpId: 7, deliveryStatus: 'CANCELLED' },
    { id: second, tmpId: 8, deliveryStatus: 'CANCELLED' },
  ])
  expect(await peer.rest()).toEqual([])
})

test('cancel: the database is locked while the device connects → 503, then the command is dispatched', async () => {
  // The log has an error, since another program holds the database.
  const locked = await BrokerUnderTest.start({ mqtt: true, env, unchecked: true })
  const id = await locked.send('withdrawn', { command: 'on' })
  const other = new Database(databaseIn(locked.dataDir))
  whenDone(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const cancelled = locked.rest.post(`/admin/api/messages/${id}/cancel`, {})
  const device = async () => (await locked.rest.get('/admin/api/devices/withdrawn')).body
  // The message counts until the cancellation is on disk. It is no longer dispatched.
  expect(await device()).toMatchObject({ waiting: 1 })
  const peer = await MqttPeer.connect({ port: locked.mqttPort, ...login })
  await peer.subscribe('consumer/request/withdrawn')
  expect(await peer.rest()).toEqual([])
  expect((await cancelled).status).toBe(503)
  other.exec('ROLLBACK')
  expect(JSON.parse((await peer.next()).text)).toMatchObject({ id })
})

test('crash: a command is in flight → redelivered after the restart', async () => {
  const first = await BrokerUnderTest.start({ mqtt: true, env })
  const id = await first.send('pump', { command: 'start' })
  const before = await MqttPeer.connect({ port: first.mqttPort, ...login })
  await before.subscribe('consumer/request/pump')
  expect(JSON.parse((await before.next()).text)).toMatchObject({ id })

  const second = await BrokerUnderTest.start({ mqtt: true, env, dataDir: first.leftBehind() })
  const after = await MqttPeer.connect({ port: second.mqttPort, ...login })
  await after.subscribe('consumer/request/pump')
  expect(JSON.parse((await after.next()).text)).toMatchObject({ id })
})
