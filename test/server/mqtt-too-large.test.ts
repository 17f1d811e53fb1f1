/** Commands that exceed the maximum packet size of the connections of their device (MQTT 5). */
import { beforeEach, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const TOPIC = 'consumer/request/lamp'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '0' } })
})

/** Connects the device. @param limit its maximum packet size; undefined: none */
async function connect(limit?: number, subscription: object = {}): Promise<MqttPeer> {
  const login = { username: 'admin', password: ADMIN_PASSWORD, protocolVersion: 5 as const }
  const properties = limit === undefined ? {} : { properties: { maximumPacketSize: limit } }
  const peer = await MqttPeer.connect({ port: broker.mqttPort, ...login, ...properties })
  await peer.client.subscribeAsync(TOPIC, { qos: 1, ...subscription })
  return peer
}

const command = (bytes: number) => ({ command: 'show', data: { text: 'x'.repeat(bytes) } })
const detail = async (id: number) => (await broker.rest.get(`/producer/messages/${id}?details=true`)).body

/** Returns the bytes of the PUBLISH of a command: its remaining length, of 128 to 16,383, and the three bytes before it. */
const bytesOf = ({ packet }: Awaited<ReturnType<MqttPeer['next']>>): number => (packet.length as number) + 3

describe(`adapter ${ADAPTER}`, () => {
  test('too large for the only connection → parked at once with TOO_LARGE and an alert; the next one arrives', async () => {
    const lamp = await connect(300)
    const id = await broker.send('lamp', command(300))
    const next = await broker.send('lamp', command(1))
    expect(JSON.parse((await lamp.next()).text)).toMatchObject({ id: next })
    expect(await detail(id)).toMatchObject({
      ...{ deliveryStatus: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', deliveredError: false },
      attempts: [{ number: 1, outcome: 'TOO_LARGE' }],
    })
    const { body } = await broker.rest.get('/admin/api/alerts')
    expect((body as { items: object[] }).items).toContainEqual(
      expect.objectContaining({ kind: 'PARKED', deviseId: 'lamp', messageId: id, count: 1 }),
    )
    expect(broker.server.log.map(({ msg }) => msg)).toContain(
      'message parked: it is larger than its device accepts',
    )
  })

  test('two connections, one accepts it → that one gets it', async () => {
    const small = await connect(300)
    const large = await connect()
    const id = await broker.send('lamp', command(300))
    expect(JSON.parse((await large.next()).text)).toMatchObject({ id })
    expect(await small.rest()).toEqual([])
    expect(await detail(id)).toMatchObject({ attempts: [{ outcome: 'OPEN' }] })
  })

  test.each([
    ['QoS 0', { qos: 0 }],
    ['QoS 1', {}],
    ['a subscription identifier', { properties: { subscriptionIdentifier: 200 } }],
  ])('%s: exactly the maximum packet size → sent; one byte more → parked', async (_what, subscription) => {
    const first = await connect(undefined, subscription)
    await broker.send('lamp', command(200))
    const bytes = bytesOf(await first.next())
    const { id: sent } = JSON.parse((await broker.poll('lamp')).text)[0] as { id: number }
    await broker.acknowledge('lamp', { id: sent })
    await first.end()

    const lamp = await connect(bytes, subscription)
    // An id has as many digits as the first one.
    const fits = await broker.send('lamp', command(200))
    expect(JSON.parse((await lamp.next()).text)).toMatchObject({ id: fits })
    await broker.acknowledge('lamp', { id: fits })
    const exceeds = await broker.send('lamp', command(201))
    await eventually(async () => expect(await broker.status(exceeds)).toBe('UNKNOWN'))
    expect(await detail(exceeds)).toMatchObject({ attempts: [{ outcome: 'TOO_LARGE' }] })
    expect(await lamp.rest()).toEqual([])
  })

  test('guarantee NO, too large → UNKNOWN, and the log says why', async () => {
    const lamp = await connect(300)
    const id = await broker.send('lamp', { ...command(300), believerGuarantee: 'NO' })
    await eventually(async () => expect(await broker.status(id)).toBe('UNKNOWN'))
    expect(await lamp.rest()).toEqual([])
    expect(broker.server.log).toContainEqual(
      expect.objectContaining({
        messageId: id,
        msg: expect.stringMatching(/no connection of the device accepts its size/),
      }),
    )
  })
})
