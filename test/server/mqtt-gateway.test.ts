/** A gateway receives the commands of the devices on its client's list by one subscription, and of no others. */
import { beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { addKey } from '../_support/credentials.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { Outage } from '../_support/outage.ts'
import { logIn } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'
const ALL = 'consumer/request/+'

let broker: BrokerUnderTest
let hubId: number

async function start(
  env: Readonly<Record<string, string>> = {},
  { open }: Partial<Outage> = {},
): Promise<void> {
  broker = await BrokerUnderTest.start({
    ...{ mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '0', ...env } },
    ...(open && { replaced: { open } }),
  })
  hubId = await addClient('hub', ['site-*', 'valve'])
}

async function addClient(deviseId: string, devices: readonly string[] = []): Promise<number> {
  const { body } = await broker.rest.post(CLIENTS, { deviseId, password: 'sesame', devices })
  return (body as { id: number }).id
}

const connect = (username: string, options: object = {}): Promise<MqttPeer> => {
  const password = username === 'admin' ? ADMIN_PASSWORD : 'sesame'
  return MqttPeer.connect({ port: broker.mqttPort, protocolVersion: 4, username, password, ...options })
}

const relist = (devices: readonly string[]): Promise<unknown> =>
  broker.rest.put(`${CLIENTS}/${hubId}`, { devices })

const transportOf = async (deviceId: string): Promise<unknown> =>
  ((await broker.rest.get(`/admin/api/devices/${deviceId}`)).body as { transport: unknown }).transport

/** Returns the next command, as `device:id`. */
async function next(peer: MqttPeer): Promise<string> {
  return short(await peer.next())
}

/** Returns the commands that arrived and were not read. */
async function rest(peer: MqttPeer): Promise<string[]> {
  return (await peer.rest()).map(short).toSorted()
}

const short = ({ topic, text }: { topic: string; text: string }): string =>
  `${topic.split('/').at(-1)}:${(JSON.parse(text) as { id: number }).id}`

const complete = (peer: MqttPeer, deviceId: string, id: number): Promise<void> =>
  peer.publish(`consumer/response/${deviceId}`, { id, deliveryStatus: 'COMPLETED' })

describe.each([
  [4, 'password'],
  [5, 'password'],
  [5, 'key'],
] as const)('version %i, by %s, with own queues only', (protocolVersion, credential) => {
  let password: string
  beforeEach(async () => {
    await start({ APP_SECURITY_OWN_QUEUE_ONLY: 'true' })
    password = credential === 'key' ? (await addKey(broker, 'hub')).key : 'sesame'
  })
  const hub = (options: object = {}): Promise<MqttPeer> =>
    connect('hub', { protocolVersion, password, ...options })

  test('pending and new messages of listed devices → received and acknowledged, one in flight for each', async () => {
    const first = await broker.send('site-1', { command: 'a' })
    const second = await broker.send('site-1', { command: 'b' })
    const foreign = await broker.send('lamp', { command: 'c' })
    const peer = await hub()
    expect(await peer.subscribe(ALL)).toEqual([1])
    expect(await next(peer)).toBe(`site-1:${first}`)
    const other = await broker.send('valve', { command: 'd' })
    expect(await next(peer)).toBe(`valve:${other}`)
    await complete(peer, 'site-1', first)
    expect(await next(peer)).toBe(`site-1:${second}`)
    await complete(peer, 'site-1', second)
    await expect(broker.status(second)).resolves.toBe('COMPLETED')
    expect(await rest(peer)).toEqual([])
    expect([await broker.status(foreign), await transportOf('lamp')]).toEqual(['NOT_DELIVERED', null])
    expect([await transportOf('site-1'), await transportOf('valve')]).toEqual(['MQTT', 'MQTT'])
  })

  test('the gateway leaves → its devices are away, and their messages stay pending', async () => {
    const peer = await hub()
    await peer.subscribe(ALL)
    const id = await broker.send('site-1', { command: 'a' })
    expect(await next(peer)).toBe(`site-1:${id}`)
    await peer.end()
    await expect.poll(() => transportOf('site-1')).toBe(null)
    const later = await broker.send('site-2', { command: 'b', believerGuarantee: 'NO' })
    expect([await broker.status(later), await transportOf('site-2')]).toEqual(['NOT_DELIVERED', null])
    const again = await hub()
    await again.subscribe(ALL)
    expect([await next(again), await next(again)].toSorted()).toEqual([`site-1:${id}`, `site-2:${later}`])
  })

  test('NO: subscribed by name as well, with and without an observer → once', async () => {
    const peer = await hub()
    await peer.subscribe('consumer/request/site-1', ALL)
    const first = await broker.send('site-1', { command: 'a', believerGuarantee: 'NO' })
    expect(await next(peer)).toBe(`site-1:${first}`)
    expect(await rest(peer)).toEqual([])
    const observer = await connect('admin')
    await observer.subscribe('#')
    const second = await broker.send('site-1', { command: 'b', believerGuarantee: 'NO' })
    expect(await next(peer)).toBe(`site-1:${second}`)
    expect(await rest(peer)).toEqual([])
    await expect.poll(() => broker.status(second)).toBe('DELIVERED')
  })

  test('a device that subscribes itself → present through both', async () => {
    await addClient('site-7')
    const device = await connect('site-7', { protocolVersion })
    await device.subscribe('consumer/request/site-7')
    const peer = await hub()
    await peer.subscribe(ALL)
    const id = await broker.send('site-7', { command: 'a' })
    expect([await next(peer), await next(device)]).toEqual([`site-7:${id}`, `site-7:${id}`])
    await peer.end()
    await complete(device, 'site-7', id)
    const later = await broker.send('site-7', { command: 'b' })
    expect(await next(device)).toBe(`site-7:${later}`)
  })

  test('an empty list → the filter is refused; commands for others never reach the connection', async () => {
    await addClient('plain')
    const plain = await connect('plain', { protocolVersion })
    expect(await plain.subscribe(ALL)).toEqual([protocolVersion === 5 ? 0x87 : 0x80])
    const peer = await hub()
    await peer.subscribe(ALL)
    const lamp = await connect('admin')
    // With an observer the server looks for all subscribers of a topic.
    await lamp.subscribe('consumer/#', 'consumer/request/lamp')
    const foreign = await broker.send('lamp', { command: 'a' })
    expect(await next(lamp)).toBe(`lamp:${foreign}`)
    const own = await broker.send('site-1', { command: 'b' })
    expect(await next(peer)).toBe(`site-1:${own}`)
    expect([await rest(peer), await rest(plain)]).toEqual([[], []])
  })

  test('a changed list → devices are lost and gained at once, also those by name', async () => {
    const peer = await hub()
    await peer.subscribe(ALL, 'consumer/request/valve')
    const first = await broker.send('site-1', { command: 'a' })
    expect(await next(peer)).toBe(`site-1:${first}`)
    const waiting = await broker.send('lamp', { command: 'b' })
    await relist(['lamp'])
    expect(await next(peer)).toBe(`lamp:${waiting}`)
    expect([await transportOf('site-1'), await transportOf('valve')]).toEqual([null, null])
    const lost = [await broker.send('site-1', { command: 'c' }), await broker.send('valve', { command: 'd' })]
    expect(await rest(peer)).toEqual([])
    await expect(peer.publish('consumer/response/site-1', { id: first }).catch(String)).resolves.not.toBe('')
    expect(await broker.status(first)).toBe('NOT_DELIVERED')
    await relist(['valve', 'site-1'])
    expect([await next(peer), await next(peer)].toSorted()).toEqual([`site-1:${first}`, `valve:${lost[1]}`])
    await relist([])
    expect(await transportOf('valve')).toBe(null)
  })

  test('other filters with wildcards, over its children → refused', async () => {
    const peer = await hub()
    const refused = protocolVersion === 5 ? 0x87 : 0x80
    const filters = ['consumer/#', 'consumer/request/#', '#', '+/request/site-1', 'consumer/+/site-1']
    expect(await peer.subscribe(...filters)).toEqual(filters.map(() => refused))
  })

  test('its session continues without a SUBSCRIBE → a gateway again', async () => {
    const session = { clientId: 'site', clean: false, properties: { sessionExpiryInterval: 600 } }
    const peer = await hub(session)
    await peer.subscribe(ALL)
    await peer.drop()
    const id = await broker.send('site-1', { command: 'a' })
    const again = await hub(session)
    expect(again.connack.sessionPresent).toBe(true)
    expect(await next(again)).toBe(`site-1:${id}`)
  })
})

test('with own queues only: children over REST by the login of the gateway → 200; other devices → 403', async () => {
  await start({ APP_SECURITY_OWN_QUEUE_ONLY: 'true' })
  const id = await broker.send('site-1', { command: 'a' })
  const hub = await logIn(broker.server.url, 'hub', 'sesame')
  expect((await hub.get('/consumer/getLastMessage/site-1')).body).toMatchObject([{ id }])
  expect((await hub.post('/consumer/request/site-1', { id })).status).toBe(200)
  expect((await hub.get('/consumer/getLastMessage/lamp')).status).toBe(403)
  await relist([])
  expect((await hub.get('/consumer/getLastMessage/site-1')).status).toBe(403)
})

describe('with open queues', () => {
  beforeEach(() => start())

  test.each([
    ['an admin', 'admin', ALL],
    ['an admin', 'admin', '#'],
    ['a client without a list', 'plain', ALL],
    ['a client with a list', 'hub', 'consumer/#'],
    ['a client with a list', 'hub', 'consumer/request/#'],
  ])('%s (%s) subscribes to %s → no device is present', async (_who, client, filter) => {
    await addClient('plain')
    const id = await broker.send('site-1', { command: 'a' })
    const observer = await connect(client)
    await observer.subscribe(filter)
    await broker.send('site-1', { command: 'b' })
    expect((await observer.rest()).filter(({ topic }) => topic.startsWith('consumer/'))).toEqual([])
    expect([await transportOf('site-1'), await broker.status(id)]).toEqual([null, 'NOT_DELIVERED'])
  })

  test('a gateway beside an observer → commands of its list only', async () => {
    const peer = await connect('hub')
    await peer.subscribe(ALL)
    const lamp = await connect('admin')
    await lamp.subscribe('#', 'consumer/request/lamp')
    const foreign = await broker.send('lamp', { command: 'a' })
    const own = await broker.send('valve', { command: 'b' })
    expect(await next(lamp)).toBe(`lamp:${foreign}`)
    expect(await next(peer)).toBe(`valve:${own}`)
    expect(await rest(peer)).toEqual([])
  })
})

test('the storage is away while a gateway subscribes → granted, and the commands when the storage is back', async () => {
  const outage = new Outage()
  await start({}, outage)
  const id = await broker.send('site-1', { command: 'a' })
  outage.begin('messages.pendingDevices')
  const peer = await connect('hub')
  expect(await peer.subscribe(ALL)).toEqual([1])
  await eventually(() => expect(outage.refused).toBeGreaterThan(1))
  outage.end()
  expect(await next(peer)).toBe(`site-1:${id}`)
})
