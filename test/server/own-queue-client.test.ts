/** Tests `ownQueueOnly` of a client: it overrides APP_SECURITY_OWN_QUEUE_ONLY for that client, at once. */
import { describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { BEARERS, bearerOf, clientIdOf } from '../_support/credentials.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { withToken } from '../_support/rest.ts'

let broker: BrokerUnderTest

async function start(general: boolean): Promise<void> {
  broker = await BrokerUnderTest.start({
    dataDir: await withClients('lamp', 'radio'),
    mqtt: true,
    env: { APP_SECURITY_OWN_QUEUE_ONLY: String(general), COMMON_SEND_MESSAGE_PERIOD: '0' },
  })
}

const limit = async (deviseId: string, ownQueueOnly: boolean | null): Promise<unknown> =>
  broker.rest.put(`/admin/api/clients/${await clientIdOf(broker, deviseId)}`, { ownQueueOnly })

const transportOf = async (deviceId: string): Promise<unknown> =>
  ((await broker.rest.get(`/admin/api/devices/${deviceId}`)).body as { transport: unknown }).transport

describe.each(BEARERS)('ownQueueOnly of a client, over REST by %s', (bearer) => {
  test.each([
    [false, null, 200],
    [false, true, 403],
    [false, false, 200],
    [true, null, 403],
    [true, true, 403],
    [true, false, 200],
  ])('setting %s, client %s → polls another queue: %i', async (general, own, status) => {
    await start(general)
    const lamp = withToken(broker.server.url, await bearerOf(broker, bearer, 'lamp', PASSWORD))
    const poll = async (deviceId: string) => (await lamp.get(`/consumer/getLastMessage/${deviceId}`)).status
    await limit('lamp', own)
    expect([await poll('lamp'), await poll('radio')]).toEqual([200, status])
    await limit('lamp', null)
    expect(await poll('radio')).toBe(general ? 403 : 200)
  })
})

describe('ownQueueOnly of a client, over MQTT', () => {
  const connect = (username: string): Promise<MqttPeer> =>
    MqttPeer.connect({ port: broker.mqttPort, username, password: PASSWORD })

  test('set to true → the connection loses foreign queues and observed topics at once; to null → has them again', async () => {
    await start(false)
    const lamp = await connect('lamp')
    await lamp.subscribe('consumer/request/radio', 'consumer/request/lamp', 'producer/request/+')
    expect(await transportOf('radio')).toBe('MQTT')
    await limit('lamp', true)
    expect([await transportOf('radio'), await transportOf('lamp')]).toEqual([null, 'MQTT'])
    const kept = await broker.send('radio', { command: 'a' })
    const sender = await connect('radio')
    await sender.publish('producer/request/lamp', { command: 'b' })
    const [received, ...others] = [await lamp.next(), ...(await lamp.rest())]
    expect([received?.topic, others]).toEqual(['consumer/request/lamp', []])
    expect(await broker.status(kept)).toBe('NOT_DELIVERED')
    await limit('lamp', null)
    expect(JSON.parse((await lamp.next()).text)).toMatchObject({ id: kept })
    expect(lamp.client.connected).toBe(true)
  })

  test('set to false under a setting of true → subscribes to another queue', async () => {
    await start(true)
    const lamp = await connect('lamp')
    expect(await lamp.subscribe('consumer/request/radio')).toEqual([128])
    await limit('lamp', false)
    expect(await lamp.subscribe('consumer/request/radio')).toEqual([1])
    const id = await broker.send('radio', { command: 'a' })
    expect(JSON.parse((await lamp.next()).text)).toMatchObject({ id })
    const radio = await connect('radio')
    expect(await radio.subscribe('consumer/request/lamp')).toEqual([128])
  })
})
