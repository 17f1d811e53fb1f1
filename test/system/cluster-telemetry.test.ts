/** Topics of clients' own (MQTT_EXTRA_TOPICS) and retained messages on two and three nodes over one PostgreSQL. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NodeTokens } from '../../src/auth/node-tokens.ts'
import { hasOpenssl, makeCertificate } from '../_support/certificates.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'
import { startInProcess } from '../_support/in-process.ts'
import { seriesOf } from '../_support/metrics.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { logIn, tokenOf } from '../_support/rest.ts'
import type { Server } from '../_support/server.ts'

const PASSWORD = 'correct horse'
const SECRET = 'x'.repeat(32)

interface ProductNode {
  readonly port: number
  readonly server: Server
}

async function startNode(schema: string, flags: object = {}, env: object = {}): Promise<ProductNode> {
  const server = await startInProcess({
    flags: { store: postgresServer().url(schema), mqttAddress: '127.0.0.1:0', ...flags },
    env: { ADMIN_PASSWORD: PASSWORD, MQTT_EXTRA_TOPICS: 't/#', JWT_SECRET: SECRET, ...env },
    dataDir: temporaryDirectory(),
  })
  const { mqtt } = await server.logged((line) => typeof line.mqtt === 'string')
  return { server, port: Number(new URL(mqtt as string).port) }
}

async function startNodes(number: number): Promise<ProductNode[]> {
  const schema = newSchema()
  const nodes: ProductNode[] = []
  for (let i = 0; i < number; i++) nodes.push(await startNode(schema))
  return nodes
}

const open = ({ port }: ProductNode, clientId: string, options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port, clientId, username: 'admin', password: PASSWORD, protocolVersion: 5, ...options })

/** Publishes to a topic until the subscriber receives it: the nodes exchange filters after the SUBACK. */
async function linked(from: MqttPeer, to: MqttPeer, topic: string): Promise<void> {
  const mark = `mark of ${from.client.options.clientId}`
  await eventually(async () => {
    await from.publish(topic, mark)
    expect((await to.rest()).map(({ text }) => text)).toContain(mark)
  })
  // A later mark may be on its way.
  await from.publish(topic, 'last mark')
  while ((await to.next()).text !== 'last mark');
}

test('three nodes: each subscriber receives a message of any node once, with its QoS and its properties', async () => {
  const nodes = await startNodes(3)
  const peers = await Promise.all(nodes.map((node, i) => open(node, `peer ${i}`)))
  for (const peer of peers) await peer.subscribe('t/#', 't/+/heat')
  for (const from of peers) for (const to of peers) await linked(from, to, 't/a/heat')
  for (const peer of peers) await peer.rest()
  const properties = { contentType: 'text/plain', userProperties: { unit: 'K' } }
  for (const [i, peer] of peers.entries()) await peer.publish('t/b/heat', `from ${i}`, { properties })
  for (const peer of peers) {
    const received = [await peer.next(), await peer.next(), await peer.next()]
    expect(received.map(({ text }) => text).sort()).toEqual(['from 0', 'from 1', 'from 2'])
    for (const { topic, packet } of received) {
      expect(topic).toBe('t/b/heat')
      expect(packet).toMatchObject({ qos: 1, properties: { contentType: 'text/plain' } })
      expect({ ...packet.properties?.userProperties }).toEqual({ unit: 'K' })
    }
  }
  // A message that came back would arrive before this one.
  for (const from of peers) for (const to of peers) await linked(from, to, 't/end')
  for (const peer of peers)
    expect((await peer.rest()).filter(({ text }) => text.startsWith('from'))).toEqual([])
})

/** Returns the value of a series of the metrics of a node. */
async function metric({ server }: ProductNode, series: string): Promise<number> {
  const token = await tokenOf(server.url, 'admin', PASSWORD)
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  return seriesOf(await answer.text()).get(series) as number
}

test('QoS 0, QoS 1 and wildcards: subscriptions on another node → the lower of both QoS, and matching topics alone', async () => {
  const [a, b] = (await startNodes(2)) as [ProductNode, ProductNode]
  const [sender, reader] = [await open(a, 'sender'), await open(b, 'reader')]
  await reader.client.subscribeAsync({ 't/+/heat': { qos: 1 }, 't/room/#': { qos: 0 } })
  await linked(sender, reader, 't/x/heat')
  await linked(sender, reader, 't/room')
  await sender.publish('t/1/heat', 'one')
  await sender.publish('t/1/heat', 'zero', { qos: 0 })
  await sender.publish('t/1/cold', 'no')
  await sender.publish('t/room/1/2', 'room')
  const received = [await reader.next(), await reader.next(), await reader.next()]
  expect(received.map(({ text, packet }) => `${text} ${packet.qos}`)).toEqual(['one 1', 'zero 0', 'room 0'])
})

test('a burst of 5,000 messages → each arrives on another node, in their order', async () => {
  const [a, b] = (await startNodes(2)) as [ProductNode, ProductNode]
  const [sender, reader] = [await open(a, 'sender'), await open(b, 'reader')]
  await reader.subscribe('t/#')
  await linked(sender, reader, 't/x')
  const numbers = Array.from({ length: 5_000 }, (_, i) => `${i}`)
  await Promise.all(numbers.map((text) => sender.publish('t/x', text, { qos: 0 })))
  const received: string[] = []
  while (received.length < numbers.length) received.push((await reader.next()).text)
  expect(received).toEqual(numbers)
})

test('subscriptions on another node change → messages are sent there while one wants them; commands never are', async () => {
  const [a, b] = (await startNodes(2)) as [ProductNode, ProductNode]
  const [sender, reader] = [await open(a, 'sender'), await open(b, 'reader')]
  await reader.subscribe('t/wanted', 't/other', '#')
  await linked(sender, reader, 't/wanted')
  const sent = (): Promise<number> => metric(a, 'waybill_node_messages_total{outcome="sent"}')
  const before = await sent()
  await sender.publish('producer/request/lamp', { command: 'on' })
  await sender.publish('consumer/response/lamp', { id: 1, deliveryStatus: 'DELIVERED' })
  await sender.publish('t/wanted', '1')
  expect((await reader.next()).text).toBe('1')
  expect((await sent()) - before).toBe(1)
  await reader.client.unsubscribeAsync(['#', 't/other'])
  await linked(sender, reader, 't/wanted')
  await eventually(async () => {
    const base = await sent()
    await sender.publish('t/other', '2')
    await sender.publish('t/wanted', '3')
    expect((await reader.next()).text).toBe('3')
    expect((await sent()) - base).toBe(1)
  })
  await reader.end()
  await eventually(async () => expect(await metric(b, 'waybill_node_links')).toBe(0))
})

/** Connects to a node as another node does. */
async function connectAsNode(node: ProductNode, schema: string, clientId = ''): Promise<MqttPeer> {
  const [row] = await postgresServer().query<{ id: number }>(
    `SELECT max(node_id) AS id FROM "${schema}".nodes`,
  )
  const password = new NodeTokens(SECRET).issue(99, row?.id as number)
  return open(node, clientId, { username: '$node ', password })
}

test('a node that reads nothing → it loses messages, its connection stays, clients and other nodes lose none', async () => {
  const schema = newSchema()
  const a = await startNode(schema)
  const stuck = await connectAsNode(a, schema)
  await stuck.client.subscribeAsync('#', { qos: 0 })
  const [sender, local] = [await open(a, 'sender'), await open(a, 'local')]
  const remote = await open(await startNode(schema), 'remote')
  for (const reader of [local, remote]) {
    await reader.subscribe('t/x')
    await linked(sender, reader, 't/x')
  }
  await sender.publish('t/x', 'begin')
  for (const reader of [local, remote]) while ((await reader.next()).text !== 'begin');
  stuck.client.stream.pause()
  const payload = Buffer.alloc(100_000, 'x')
  // More than a socket, its buffers and a queue hold.
  for (let i = 0; i < 200; i++) {
    await sender.publish('t/x', payload)
    for (const reader of [local, remote]) expect((await reader.next()).text).toHaveLength(payload.length)
  }
  expect(await metric(a, 'waybill_node_messages_total{outcome="dropped"}')).toBeGreaterThan(0)
  expect(stuck.client.connected).toBe(true)
})

test('the connection of a node → it may read topics of clients alone, sends nothing, and is not shown as a client', async () => {
  const schema = newSchema()
  const a = await startNode(schema)
  const node = await connectAsNode(a, schema)
  expect((await node.client.subscribeAsync('#', { qos: 0 }))[0]?.qos).toBe(0)
  for (const filter of ['$SYS/#', 'consumer/request/lamp', 'producer/#'])
    await expect(node.client.subscribeAsync(filter)).rejects.toThrow()
  await node.client.subscribeAsync('+/request/+', { qos: 0 })
  const sender = await open(a, 'sender')
  // With an observer the messages of clients to the broker are published too.
  await sender.subscribe('producer/#', 'consumer/request/+')
  await sender.publish('producer/request/lamp', { command: 'on' })
  await sender.publish('t/x', 'text')
  expect(await node.next()).toMatchObject({ topic: '$node/1/t/x', text: 'text' })
  for (const topic of ['producer/request/lamp', 'consumer/response/lamp', 't/x'])
    await expect(node.publish(topic, { id: 1, deliveryStatus: 'DELIVERED' })).rejects.toMatchObject({
      code: 0x87,
    })
  const rest = await logIn(a.server.url, 'admin', PASSWORD)
  const connections = (await rest.get('/admin/api/connections')).body as { clientId: string }[]
  expect(connections.map(({ clientId }) => clientId)).toEqual(['sender'])
  expect((await rest.get('/admin/api/devices/lamp')).body).toMatchObject({ transport: null })
  expect(await metric(a, 'waybill_connections{transport="MQTT"}')).toBe(1)
})

test('a client is deleted on one node → its connection to another ends, and it receives and sends nothing more', async () => {
  const [a, b] = (await startNodes(2)) as [ProductNode, ProductNode]
  const rest = await logIn(a.server.url, 'admin', PASSWORD)
  const client = { deviseId: 'meter', password: 'correct meter', role: 'DEVISE' }
  const { body } = await rest.post('/admin/api/clients', client)
  const sender = await open(a, 'sender')
  let meter: MqttPeer | null = null
  await eventually(async () => {
    meter = await open(b, 'meter', { username: 'meter', password: 'correct meter' })
  })
  const reader = meter as unknown as MqttPeer
  await reader.subscribe('t/x')
  await linked(sender, reader, 't/x')
  await rest.delete(`/admin/api/clients/${(body as { id: number }).id}`)
  await reader.closed
  await eventually(async () => expect(await metric(b, 'waybill_node_links')).toBe(0))
})

test('retained messages: the last one of all nodes is kept, removed everywhere, and there after a restart', async () => {
  const schema = newSchema()
  const [a, b] = [await startNode(schema), await startNode(schema)]
  const [one, two] = [await open(a, 'one'), await open(b, 'two')]
  const retained = async (node: ProductNode): Promise<string[]> => {
    const reader = await open(node, `reader ${Math.random()}`)
    await reader.subscribe('t/#')
    const found: string[] = []
    // Retained messages follow the SUBACK one in a turn.
    for (let i = 0; i < 10; i++) {
      found.push(...(await reader.rest()).map(({ topic, text }) => `${topic} ${text}`))
    }
    await reader.end()
    return found.sort()
  }
  const everywhere = (expected: string[]): Promise<void> =>
    eventually(async () => {
      expect([await retained(a), await retained(b)]).toEqual([expected, expected])
    })
  await one.publish('t/1', 'old', { retain: true })
  await two.publish('t/1', 'new', { retain: true })
  await two.publish('t/2', Buffer.from([0, 255, 10]), { retain: true, qos: 0 })
  await one.publish('t/\uf8ff', 'odd', { retain: true })
  const bytes = Buffer.from([0, 255, 10]).toString()
  await everywhere(['t/1 new', `t/2 ${bytes}`, 't/\uf8ff odd'])
  await one.publish('t/2', '', { retain: true })
  await everywhere(['t/1 new', 't/\uf8ff odd'])
  const c = await startNode(schema)
  expect(await retained(c)).toEqual(['t/1 new', 't/\uf8ff odd'])
})

test('retained messages: both nodes write one topic at once → both keep the same one', async () => {
  const nodes = await startNodes(2)
  const peers = await Promise.all(nodes.map((node, i) => open(node, `peer ${i}`)))
  for (let i = 0; i < 50; i++) {
    await Promise.all(peers.map((peer, j) => peer.publish('t/hot', `${i} ${j}`, { retain: true })))
  }
  await eventually(async () => {
    const found = await Promise.all(
      nodes.map(async (node) => {
        const reader = await open(node, `reader ${Math.random()}`)
        await reader.subscribe('t/hot')
        const { text } = await reader.next()
        await reader.end()
        return text
      }),
    )
    expect(found[0]).toMatch(/^49 /)
    expect(found[1]).toBe(found[0])
  })
})

test('a session without a connection gets a message of another node when its client returns', async () => {
  const [a, b] = (await startNodes(2)) as [ProductNode, ProductNode]
  const lasting = { clean: false, properties: { sessionExpiryInterval: 3_600 } }
  const sender = await open(a, 'sender')
  const reader = await open(b, 'reader', lasting)
  await reader.subscribe('t/kept')
  await linked(sender, reader, 't/kept')
  await reader.drop()
  const watcher = await open(b, 'watcher')
  await watcher.subscribe('t/kept')
  await sender.publish('t/kept', 'while away')
  expect((await watcher.next()).text).toBe('while away')
  const again = await open(b, 'reader', lasting)
  expect((await again.next()).text).toBe('while away')
})

test('a node ends → the other nodes go on; a new one gets messages again', async () => {
  const schema = newSchema()
  const [a, b] = [await startNode(schema), await startNode(schema)]
  const [sender, reader] = [await open(a, 'sender'), await open(b, 'reader')]
  await reader.subscribe('t/x')
  await linked(sender, reader, 't/x')
  await b.server.kill()
  await sender.subscribe('t/x')
  await sender.publish('t/x', 'alone')
  expect((await sender.next()).text).toBe('alone')
  const later = await open(await startNode(schema), 'later')
  await later.subscribe('t/x')
  await linked(sender, later, 't/x')
})

test('a node that cannot be reached → one line says so, and nothing else fails', async () => {
  const schema = newSchema()
  await startNode(schema, { nodeAddress: '127.0.0.1:1' })
  const b = await startNode(schema)
  const reader = await open(b, 'reader')
  await reader.subscribe('t/x')
  const line = await b.server.logged(({ msg }) => msg.startsWith('another node cannot be reached'))
  expect(line).toMatchObject({ level: 'warn', address: 'mqtt://127.0.0.1:1' })
  await reader.publish('t/x', 'here')
  expect((await reader.next()).text).toBe('here')
})

test('a node that trusts the other one as a proxy → it refuses the link, and a line on the other says why', async () => {
  const schema = newSchema()
  const behind = { MQTT_PROXY_PROTOCOL: 'true', WAYBILL_TRUSTED_PROXIES: '127.0.0.1' }
  await startNode(schema, {}, behind)
  const b = await startNode(schema)
  await (await open(b, 'reader')).subscribe('t/x')
  const { msg } = await b.server.logged((line) => line.msg.startsWith('another node cannot be reached'))
  expect(msg).toContain('server.trusted-proxies must not contain this machine')
})

test('a client cannot log in as a node: not with a password, nor with a token that it has', async () => {
  const [a] = (await startNodes(1)) as [ProductNode]
  const token = await tokenOf(a.server.url, 'admin', PASSWORD)
  for (const password of [PASSWORD, token, new NodeTokens(SECRET).issue(1, 99)]) {
    const client = open(a, '', { username: '$node ', password })
    await expect(client).rejects.toMatchObject({ code: 0x86 })
  }
})

test.runIf(hasOpenssl)(
  'TLS with a self-signed certificate that the nodes share → they link; one with another → not',
  async () => {
    const directory = temporaryDirectory()
    const tls = (name: string) => ({
      tlsCert: join(directory, `${name}.pem`),
      tlsKey: join(directory, `${name}.key`),
    })
    for (const name of ['one', 'two']) makeCertificate(tls(name).tlsCert, tls(name).tlsKey, name)
    const schema = newSchema()
    const [a, b] = [await startNode(schema, tls('one')), await startNode(schema, tls('one'))]
    const secure = { protocol: 'mqtts', rejectUnauthorized: false }
    const [sender, reader] = [await open(a, 'sender', secure), await open(b, 'reader', secure)]
    await reader.subscribe('t/x')
    await linked(sender, reader, 't/x')
    const other = await startNode(schema, tls('two'))
    await (await open(other, 'other', secure)).subscribe('t/x')
    const line = await other.server.logged(({ msg }) => msg.startsWith('another node cannot be reached'))
    expect(line.reason).toMatch(/self-signed certificate/)
  },
)
