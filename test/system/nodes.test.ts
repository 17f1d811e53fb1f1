/** Several nodes of the product over one PostgreSQL, in the process of the test: what a user sees of them. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { ADMIN_PASSWORD } from '../_support/clients.ts'
import { waybill } from '../_support/command.ts'
import { eventually } from '../_support/eventually.ts'
import { type InProcessOptions, startInProcess } from '../_support/in-process.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { newSchema } from '../_support/postgres.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { call, logIn, withToken } from '../_support/rest.ts'
import type { Server } from '../_support/server.ts'

/** Starts a node. Nodes with the same schema share a database. */
function startNode(schema: string, { flags, ...more }: Partial<InProcessOptions> = {}): Promise<Server> {
  return startInProcess({
    flags: { store: postgresServer().url(schema), ...flags },
    dataDir: temporaryDirectory(),
    ...more,
  })
}

/** Returns the random password that a node printed for the first admin; undefined when it printed none. */
function printedBy({ log }: Server): string | undefined {
  return log.find(({ msg }) => msg.startsWith('first admin: sign in'))?.password as string | undefined
}

test('two nodes start at once: no admin yet → one admin, whose password both print; its token is valid on both', async () => {
  const schema = newSchema()
  const nodes = await Promise.all([startNode(schema), startNode(schema)])
  const [password, other] = nodes.map(printedBy)
  expect(password).toMatch(/^\S{20}$/)
  expect(other).toBe(password)
  await eventually(async () => {
    for (const { url } of nodes) await logIn(url, 'admin', password as string)
  })
  const { body } = await call(nodes[0].url, 'POST', '/auth/login', { deviseId: 'admin', password })
  const { accessToken } = body as { accessToken: string }
  for (const { url } of nodes) {
    expect((await withToken(url, accessToken).get('/auth/me')).body).toEqual({
      deviseId: 'admin',
      role: 'MAN',
    })
  }
})

test('the first password: another node starts before the first login → printed again; after it → no more', async () => {
  const schema = newSchema()
  const first = await startNode(schema)
  const password = printedBy(first) as string
  const second = await startNode(schema)
  expect(printedBy(second)).toBe(password)
  await logIn(second.url, 'admin', password)
  expect(printedBy(await startNode(schema))).toBeUndefined()
})

test('a command is sent on one node → the other one delivers it, and the first one shows its status', async () => {
  const schema = newSchema()
  const env = { ADMIN_PASSWORD: 'correct horse' }
  const [a, b] = [await startNode(schema, { env }), await startNode(schema, { env })]
  const [onA, onB] = [
    await logIn(a.url, 'admin', 'correct horse'),
    await logIn(b.url, 'admin', 'correct horse'),
  ]
  const sent = await onA.put('/producer/request/lamp', { command: 'on' })
  const { id } = sent.body as { id: number }
  expect((await onB.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ id, command: 'on' }])
  await onB.post('/consumer/request/lamp', { id, deliveryStatus: 'COMPLETED' })
  expect((await onA.get(`/producer/getMessageStatus/${id}`)).body).toMatchObject({
    deliveryStatus: 'COMPLETED',
  })
})

test('presence: a device connects to one node, another polls there → the other node shows both, and the runs of both', async () => {
  const env = { ADMIN_PASSWORD: 'correct horse' }
  const schema = newSchema()
  const a = await startNode(schema, { env, flags: { mqttAddress: '127.0.0.1:0' } })
  const b = await startNode(schema, { env })
  const onA = await logIn(a.url, 'admin', 'correct horse')
  const onB = await logIn(b.url, 'admin', 'correct horse')
  const line = await a.logged(({ mqtt }) => typeof mqtt === 'string')
  const port = Number(new URL(line.mqtt as string).port)
  const device = await MqttPeer.connect({ port, username: 'admin', password: 'correct horse' })
  await device.subscribe('consumer/request/admin')
  await onA.put('/producer/request/meter', { command: 'go' })
  await onA.get('/consumer/getLastMessage/meter')
  const shown = async (id: string) => (await onB.get(`/admin/api/devices/${id}?details=true`)).body
  await eventually(async () => {
    expect(await shown('admin')).toMatchObject({ presence: 'RECEIVING', lastSeenExact: true })
    expect(await shown('meter')).toMatchObject({ presence: 'POLLING' })
  })
  const log = (await onB.get('/admin/api/devices/admin/log')).body as unknown as {
    kind: string
    node: number
  }[]
  expect(log.map(({ kind }) => kind)).toContain('SUBSCRIBED')
  const runs = (await onB.get('/admin/api/runs')).body as unknown as { node: number; how: string | null }[]
  expect(new Set(runs.map(({ node }) => node)).size).toBe(2)
  expect(runs.map(({ how }) => how)).toEqual([null, null])
})

test.each([
  ['runs on', false],
  ['stops during the attempt', true],
])(
  'a node that a device polled %s → the command is parked once, and every node shows it',
  async (_, stops) => {
    const schema = newSchema()
    const env = { ADMIN_PASSWORD: 'correct horse', COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '3000' }
    const [a, b] = [await startNode(schema, { env }), await startNode(schema, { env })]
    const [onA, onB] = [
      await logIn(a.url, 'admin', 'correct horse'),
      await logIn(b.url, 'admin', 'correct horse'),
    ]
    const { body } = await onA.put('/producer/request/lamp', { command: 'on', maxAttempts: 1 })
    const { id } = body as { id: number }
    expect((await onA.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ id }])
    if (stops) await a.kill()

    const ended = (await onB.get(`/producer/getMessageStatus/${id}?wait=30&details=true`)).body
    expect(ended).toMatchObject({ deliveryStatus: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', attempts: 1 })
    const detail = (await onB.get(`/admin/api/messages/${id}?details=true`)).body as { history: object[] }
    expect(detail).toMatchObject({ deliveredError: true })
    expect(detail.history).toHaveLength(2)
  },
)

test('the log: a start → the database without its password, and a warning that no standby is synchronous', async () => {
  const node = await startNode(newSchema())
  const line = node.log.find(({ msg }) => msg === 'listening')
  expect(line).toMatchObject({ dataDir: null, store: expect.stringMatching(/^postgres:\/\/waybill@/) })
  expect(node.log.filter(({ code }) => code === 'storage-not-replicated')).toHaveLength(1)
})

test('the disk of PostgreSQL: unknown to a node → null, a metric without a value, no alert', async () => {
  const env = { ADMIN_PASSWORD: 'correct horse', WAYBILL_METRICS_PUBLIC: 'true' }
  const node = await startNode(newSchema(), { env })
  const admin = await logIn(node.url, 'admin', 'correct horse')
  const { storage } = (await admin.get('/admin/api/system')).body as { storage: object }
  expect(storage).toMatchObject({ databaseBytes: expect.any(Number), freeBytes: null, diskBytes: null })
  const text = await (await fetch(`${node.url}/metrics`)).text()
  expect(text).toContain('# TYPE waybill_disk_free_bytes gauge')
  expect(text).not.toMatch(/^waybill_disk_free_bytes /m)
  expect((await admin.get('/admin/api/overview')).text).not.toContain('DISK_NEARLY_FULL')
})

test('a node with another pacing interval → refused, with both values', async () => {
  const schema = newSchema()
  await startNode(schema)
  const env = { COMMON_SEND_MESSAGE_PERIOD: '7' }
  await expect(startNode(schema, { env })).rejects.toThrow(
    /^common\.sendMessagePeriod is 7 here and 2000 on the other nodes\n/,
  )
  await startNode(schema, { env, flags: { changeSettings: true } })
  await startNode(schema, { env })
})

test('client password: nodes run → the new password logs in on each', async () => {
  const schema = newSchema()
  const env = { ADMIN_PASSWORD: 'correct horse' }
  const nodes = [await startNode(schema, { env }), await startNode(schema, { env })]
  const store = postgresServer().url(schema)
  const ended = await waybill('client', 'password', 'admin', '--new-password', 'a new word', '--store', store)
  expect(ended).toEqual({ code: 0, stdout: '1 admin password changed\n', stderr: '' })
  for (const { url } of nodes) await logIn(url, 'admin', 'a new word')
})

test('waybill db: the store is PostgreSQL → names its tools, not the password', async () => {
  const store = 'postgres://ann:hidden@127.0.0.1/plant?schema=east'
  const { code, stderr } = await waybill('db', 'backup', 'x.db', '--store', store)
  expect(code).toBe(1)
  expect(stderr).toContain('pg_dump --format=custom --schema=east')
  expect(stderr).not.toContain('hidden')
})

test('PostgreSQL stops → not ready, a request is 503, one line; it starts → ready, stored, one line with the refused', async () => {
  const schema = newSchema()
  const node = await startNode(schema, { env: { ADMIN_PASSWORD: 'correct horse' }, unchecked: true })
  const admin = await logIn(node.url, 'admin', 'correct horse')
  const send = () => admin.put('/producer/request/lamp', { command: 'on' })
  expect((await send()).status).toBe(200)
  postgresServer().stop('immediate')
  const refused = await send()
  expect(refused.status).toBe(503)
  expect((await call(node.url, 'GET', '/readyz')).status).toBe(503)
  await node.logged(({ msg }) => msg.startsWith('PostgreSQL does not answer'))
  postgresServer().start()
  await eventually(async () => expect((await send()).status).toBe(200))
  await eventually(async () => expect((await call(node.url, 'GET', '/readyz')).status).toBe(200))
  const back = await node.logged(({ msg }) => msg.startsWith('PostgreSQL answers again'))
  expect(back.refused).toBeGreaterThan(0)
  expect(node.log.filter(({ msg }) => msg.startsWith('PostgreSQL does not answer'))).toHaveLength(1)
})

test('PostgreSQL stops, then the node → the log has one line about the storage, and the process ends by itself', async () => {
  const store = { WAYBILL_STORE: postgresServer().url(newSchema()), WAYBILL_ALLOW_DATA_LOSS: 'true' }
  const env = { ...store, COMMON_SEND_MESSAGE_PERIOD: '0' }
  const { server, mqttPort } = await BrokerUnderTest.spawn({ env, mqtt: true })
  const lamp = await MqttPeer.connect({ port: mqttPort, username: 'admin', password: ADMIN_PASSWORD })
  await lamp.subscribe('consumer/request/lamp')
  postgresServer().stop('immediate')
  await server.logged(({ msg }) => msg.startsWith('PostgreSQL does not answer'))
  const ended = await server.kill('SIGTERM')
  postgresServer().start()

  expect(ended).toMatchObject({ code: 0, signal: null })
  const problems = server.log.filter(({ level }) => level === 'warn' || level === 'error')
  expect(problems.map(({ code }) => code)).toEqual(['storage-not-replicated', 'storage-away'])
  await lamp.end()
})
