/** Two servers share their state in memory: messages on extra topics and retained messages. */
import { expect, test } from 'vitest'
import { MemoryCluster, type MemoryNode } from '../../src/store/memory/memory-cluster.ts'
import { openStorage } from '../../src/store/sqlite/database.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const start = async (nodes: MemoryNode): Promise<BrokerUnderTest> =>
  BrokerUnderTest.start({
    dataDir: await withClients('meter', 'panel'),
    mqtt: true,
    env: { MQTT_EXTRA_TOPICS: 't/#' },
    replaced: { open: (options) => ({ ...openStorage(options), nodes }) },
  })

const open = (node: BrokerUnderTest, username: string, protocolVersion: 4 | 5 = 5): Promise<MqttPeer> =>
  MqttPeer.connect({ port: node.mqttPort, username, password: PASSWORD, clientId: username, protocolVersion })

/** Publishes until the subscriber receives it: the nodes exchange filters after the SUBACK. */
async function linked(from: MqttPeer, to: MqttPeer): Promise<void> {
  await eventually(async () => {
    await from.publish('t/x', 'mark')
    expect((await to.rest()).map(({ text }) => text)).toContain('mark')
  })
}

test('a message of one node → its subscriber on the other; the lease of a node ends → again after its clients return', async () => {
  const cluster = new MemoryCluster()
  const first = cluster.node()
  const [a, b] = [await start(first), await start(cluster.node())]
  const panel = await open(b, 'panel')
  await panel.subscribe('t/#')
  await linked(await open(a, 'meter'), panel)
  const meter = await open(a, 'meter')
  first.lapse()
  await meter.closed
  const again = await open(a, 'meter')
  await linked(again, panel)
  await again.subscribe('t/#')
  await linked(panel, again)
})

test('the storage of retained messages fails → QoS 1 is refused as temporary, QoS 0 reaches its subscribers, and none is retained', async () => {
  const node = new MemoryCluster().node()
  const a = await start(node)
  const panel = await open(a, 'panel')
  await panel.subscribe('t/#')
  const meter = await open(a, 'meter')
  await meter.publish('t/x', 'before', { retain: true })
  const { put } = node.retained
  Object.assign(node.retained, { put: () => Promise.reject(new Error('away')) })
  await expect(meter.publish('t/x', 'refused', { retain: true })).rejects.toMatchObject({ code: 0x83 })
  await meter.publish('t/x', 'lost', { retain: true, qos: 0 })
  await meter.publish('t/x', 'behind')
  expect([(await panel.next()).text, (await panel.next()).text, (await panel.next()).text]).toEqual([
    'before',
    'lost',
    'behind',
  ])
  Object.assign(node.retained, { put })
  const later = await open(a, 'panel')
  await later.subscribe('t/#')
  expect((await later.next()).text).toBe('before')
})
