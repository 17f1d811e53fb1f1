/** The duties of the server while the storage is away for a while: a full disk, a PostgreSQL that is stopped. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ClientList } from '../../src/auth/client-list.ts'
import { Broker } from '../../src/broker/engine/broker.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { ADMIN_PASSWORD } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { startInProcess } from '../_support/in-process.ts'
import { LIMIT_MS, WAIT_MS } from '../_support/limits.ts'
import { message } from '../_support/message.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { newSchema, PostgresServer } from '../_support/postgres.ts'
import { NodesUnderTest } from '../_support/postgres-nodes.ts'
import { postgresServer } from '../_support/postgres-store.ts'
import { logIn } from '../_support/rest.ts'
import { fill, mountSmallDisk, NO_SMALL_DISK } from '../_support/small-disk.ts'
import { openIn } from '../_support/store.ts'
import { RULES } from '../contract/store-under-test.ts'

vi.setConfig({ testTimeout: 2 * LIMIT_MS })

const until = (check: () => unknown) => vi.waitFor(check, { interval: 20, timeout: WAIT_MS })

test('SQLite: the disk is full when a NO message could not be sent → UNKNOWN when the disk has room', async ({
  skip,
}) => {
  const disk = mountSmallDisk(16)
  if (disk === null) return skip(NO_SMALL_DISK)
  const storage = openIn(join(disk, 'data'))
  whenDone(() => storage.close())
  const log = { debug() {}, info() {}, error() {} }
  const broker = new Broker({ messages: storage.messages, queueLimit: 1_000, log })
  const { id } = await broker.enqueue(message({ guarantee: 'NO' }))
  const lease = await storage.messages.attach('pump', 'MQTT')
  expect(await lease.claim(null, RULES)).toMatchObject({ is: 'message' })

  const free = fill(disk)
  // The log of the database may have room for some pages more.
  const write = () => broker.enqueue(message({ deviceId: 'other' }))
  await until(() => expect(write()).rejects.toMatchObject({ code: 'storage-full' }))
  await broker.sendFailed(id)
  expect(await broker.status(id)).toBe('DELIVERED')
  free()
  await until(async () => expect(await broker.status(id)).toBe('UNKNOWN'))
})

test('PostgreSQL is stopped while a gateway subscribes → granted, and the commands when it is back', async () => {
  const server = new PostgresServer(['fsync = off'])
  const node = await startInProcess({
    ...{ dataDir: temporaryDirectory(), env: { ADMIN_PASSWORD }, unchecked: true },
    flags: { store: server.url(newSchema()), mqttAddress: '127.0.0.1:0' },
  })
  whenDone(() => server.remove())
  const admin = await logIn(node.url, 'admin', ADMIN_PASSWORD)
  await admin.post('/admin/api/clients', { deviseId: 'hub', password: 'sesame', devices: ['site-*'] })
  const { body } = await admin.put('/producer/request/site-1', { command: 'a' })
  const { mqtt } = node.log.find((line) => typeof line.mqtt === 'string') as { mqtt?: string }
  const hub = await MqttPeer.connect({
    ...{ port: Number(new URL(mqtt as string).port), username: 'hub', password: 'sesame', clientId: 'hub' },
  })
  server.stop('immediate')
  expect(await hub.subscribe('consumer/request/+')).toEqual([1])
  await until(() => expect(node.log.some(({ code }) => code === 'storage-away')).toBe(true))
  server.start()
  const { id } = body as { id: number }
  await until(async () =>
    expect(await hub.rest()).toMatchObject([{ text: expect.stringContaining(`"id":${id}`) }]),
  )
  await node.kill()
})

test('PostgreSQL cannot be read after the journal had a gap → a deleted client is known to be deleted later', async () => {
  const nodes = new NodesUnderTest(postgresServer())
  const [one, two] = [await nodes.open(), await nodes.open()]
  const here = await ClientList.open(one.clients)
  const { id } = await here.create({ deviceId: 'pump', password: 'sesame' })
  const there = await ClientList.open(two.clients)
  expect(there.byDevice('pump')).toBeDefined()
  const session = await nodes.session()
  // The change is in no journal.
  await session.query(`DELETE FROM clients WHERE id = ${id}; ALTER TABLE clients RENAME TO away`)
  const [{ position }] = (await session.query('SELECT pg_current_snapshot()::text AS position')).rows
  two.journal.start(position, Date.now())
  await two.clients.reload().catch(() => {})
  await session.query('ALTER TABLE away RENAME TO clients')
  await eventually(() => expect(there.byDevice('pump')).toBeUndefined())
})
