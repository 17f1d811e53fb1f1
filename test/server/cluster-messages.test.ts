/** Two servers share their messages in memory: a producer on one node, its device on the other. */
import { expect, test } from 'vitest'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { MemoryCluster, type MemoryNode } from '../../src/store/memory/memory-cluster.ts'
import { type MemoryStore, openMemory } from '../../src/store/memory/memory-store.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { EventStream } from '../_support/events.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { seeded } from '../_support/random.ts'

interface Nodes {
  readonly a: BrokerUnderTest
  readonly b: BrokerUnderTest
  readonly first: MemoryNode
}

async function startNodes(): Promise<Nodes> {
  const cluster = new MemoryCluster()
  const store = openMemory({ clock: systemClock, random: seeded(1) })
  const start = async (messages: MemoryStore, nodes: MemoryNode): Promise<BrokerUnderTest> =>
    BrokerUnderTest.start({
      dataDir: await withClients('lamp', 'panel'),
      mqtt: true,
      env: { COMMON_SEND_MESSAGE_PERIOD: '0' },
      replaced: { open: (options) => ({ ...openStorage(options), messages, nodes }) },
    })
  const first = cluster.node()
  return { a: await start(store, first), b: await start(store.second(), cluster.node()), first }
}

const open = (node: BrokerUnderTest, username: string): Promise<MqttPeer> =>
  MqttPeer.connect({ port: node.mqttPort, username, password: PASSWORD, clientId: username })

test('a producer on one node, its device on the other → each status arrives once, over each connection', async () => {
  const { a, b } = await startNodes()
  const panel = await open(a, 'panel')
  await panel.subscribe('producer/response/panel')
  const lamp = await open(b, 'lamp')
  await lamp.subscribe('consumer/request/lamp')
  const command = { command: 'on', messageBirthCertificate: { tmpId: 7, producerDeviseId: 'panel' } }
  await panel.publish('producer/request/lamp', command)
  const { id } = JSON.parse((await lamp.next()).text) as { id: number }
  await lamp.publish('consumer/response/lamp', { id, deliveryStatus: 'COMPLETED' })
  const statuses = [await panel.next(), await panel.next()].map(({ text }) => JSON.parse(text))
  expect(statuses).toMatchObject([
    { id, tmpId: 7, deliveryStatus: 'NOT_DELIVERED' },
    { id, tmpId: 7, deliveryStatus: 'COMPLETED' },
  ])
  expect(await panel.rest()).toEqual([])
})

test('a producer and a reader of events on one node, the submit and the device on the other → each status once, in order', async () => {
  const { a, b } = await startNodes()
  const panel = await open(a, 'panel')
  await panel.subscribe('producer/response/panel')
  const events = await EventStream.open(`${a.server.url}/admin/api/events`, {
    authorization: `Bearer ${a.token}`,
  })
  await events.next()
  const messageBirthCertificate = { tmpId: 7, producerDeviseId: 'panel' }
  const id = await b.send('lamp', { command: 'on', messageBirthCertificate })
  const next = async (): Promise<unknown> => JSON.parse((await panel.next()).text)
  expect(await next()).toEqual({ id, tmpId: 7, deliveryStatus: 'NOT_DELIVERED' })
  await b.acknowledge('lamp', { id, deliveryStatus: 'DELIVERED' })
  expect(await next()).toEqual({ id, tmpId: 7, deliveryStatus: 'DELIVERED' })
  await b.acknowledge('lamp', { id, deliveryStatus: 'COMPLETED' })
  expect(await next()).toEqual({ id, tmpId: 7, deliveryStatus: 'COMPLETED' })
  const seen: unknown[] = []
  while (seen.length < 3) {
    const event = await events.next()
    if (event?.type === 'message') seen.push((event.data as { deliveryStatus: string }).deliveryStatus)
  }
  expect(seen).toEqual(['NOT_DELIVERED', 'DELIVERED', 'COMPLETED'])
  expect(await panel.rest()).toEqual([])
})

test('the lease of a node is over → its waiting poll ends, and the device polls again', async () => {
  const { a, first } = await startNodes()
  const waiting = a.rest.get('/consumer/getLastMessage/lamp?wait=60')
  await eventually(async () => {
    expect((await a.rest.get('/admin/api/devices/lamp')).body).toMatchObject({ transport: 'REST' })
  })
  first.lapse()
  expect((await waiting).body).toEqual([])
})
