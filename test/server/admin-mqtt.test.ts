/** The admin API shows devices that are connected over MQTT. */
import { expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { EventStream } from '../_support/events.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const PACING_MS = 600_000
const TIMEOUT_MS = 900_000

interface Detail {
  readonly waits: unknown
  readonly attempts: readonly { readonly date: number }[]
}

async function start() {
  const broker = await BrokerUnderTest.start({
    mqtt: true,
    env: {
      COMMON_SEND_MESSAGE_PERIOD: String(PACING_MS),
      COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: String(TIMEOUT_MS),
    },
  })
  const connect = async (filter: string): Promise<MqttPeer> => {
    const peer = await MqttPeer.connect({
      port: broker.mqttPort,
      username: 'admin',
      password: ADMIN_PASSWORD,
    })
    await peer.subscribe(filter)
    return peer
  }
  const row = async (deviseId: string): Promise<unknown> => {
    const { body } = await broker.rest.get('/admin/api/devices')
    return (body as { deviseId: string }[]).find((each) => each.deviseId === deviseId)
  }
  const detail = async (id: number): Promise<Detail> =>
    (await broker.rest.get(`/admin/api/messages/${id}`)).body as Detail
  return { broker, connect, row, detail }
}

test('device over MQTT: connects, drops, unsubscribes → connection events, its transport in the list', async () => {
  const { broker, connect, row } = await start()
  const authorization = `Bearer ${broker.token}`
  const events = await EventStream.open(`${broker.server.url}/admin/api/events`, { authorization })
  expect(await events.next()).toMatchObject({ type: 'ready' })
  const connection = (connected: boolean) => ({
    type: 'connection',
    data: { deviseId: 'admin', connected, transport: 'MQTT', date: expect.any(Number) },
  })

  const onlooker = await connect('consumer/request/+')
  expect(await row('admin')).toMatchObject({ transport: null })
  const device = await connect('consumer/request/admin')
  expect(await events.next()).toEqual(connection(true))
  expect(await row('admin')).toMatchObject({ transport: 'MQTT', lastSeenDate: expect.any(Number) })
  await device.drop()
  expect(await events.next()).toEqual(connection(false))
  expect(await row('admin')).toMatchObject({ transport: null, lastSeenDate: expect.any(Number) })

  const again = await connect('consumer/request/admin')
  expect(await events.next()).toEqual(connection(true))
  again.client.unsubscribe('consumer/request/admin')
  expect(await events.next()).toEqual(connection(false))
  await onlooker.end()
})

/** Matches this time or a later one: an interval begins when the record of a dispatch is durable. */
const atLeast = (ms: number) => ({ asymmetricMatch: (actual: unknown) => (actual as number) >= ms })

test('pending message: device away, in flight, pacing interval, behind another → reason and time', async () => {
  const { broker, connect, detail } = await start()
  const [first, second, third] = [
    await broker.send('pump', { command: 'go' }),
    await broker.send('pump', { command: 'go' }),
    await broker.send('pump', { command: 'go' }),
  ]
  const waits = async (id: number): Promise<unknown> => (await detail(id)).waits
  expect(await waits(first)).toEqual({ reason: 'DEVICE_AWAY', messageId: null, until: null })

  const device = await connect('consumer/request/pump')
  await device.next()
  const [{ date }] = (await detail(first)).attempts as [{ date: number }]
  expect(await detail(first)).toMatchObject({
    attempts: [{ transport: 'MQTT', outcome: 'OPEN' }],
    waits: { reason: 'ACKNOWLEDGEMENT', messageId: null, until: atLeast(date + TIMEOUT_MS) },
  })
  expect(await waits(second)).toEqual({ reason: 'BEHIND', messageId: first, until: null })

  await device.publish('consumer/response/pump', { id: first })
  expect(await detail(first)).toMatchObject({
    deliveryStatus: 'DELIVERED',
    attempts: [{ transport: 'MQTT', outcome: 'ACKNOWLEDGED' }],
    waits: null,
  })
  expect(await waits(second)).toEqual({ reason: 'GAP', messageId: null, until: atLeast(date + PACING_MS) })
  expect(await waits(third)).toEqual({ reason: 'BEHIND', messageId: second, until: null })

  const before = await broker.rest.post(`/admin/api/messages/${second}/cancel`, {})
  expect(before).toMatchObject({ status: 200, body: { deliveryStatus: 'CANCELLED' } })
  expect(await waits(third)).toEqual({ reason: 'GAP', messageId: null, until: atLeast(date + PACING_MS) })
  await device.end()
  await expect.poll(() => waits(third)).toEqual({ reason: 'DEVICE_AWAY', messageId: null, until: null })
})
