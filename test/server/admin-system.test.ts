/** Tests /admin/api/system: release, settings and storage, and a backup that can be restored. */
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { restore } from '../../src/store/sqlite/database/restore.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { eventually } from '../_support/eventually.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

const SYSTEM = '/admin/api/system'

interface Setting {
  readonly name: string
  readonly [name: string]: unknown
}

describe(`adapter ${ADAPTER}`, () => {
  test('system: MQTT is on, one setting is set → release, listeners, storage, settings without secrets', async () => {
    const broker = await BrokerUnderTest.start({
      mqtt: true,
      env: { WAYBILL_QUEUE_LIMIT: '77' },
    })
    await broker.rest.post('/admin/api/clients', { deviseId: 'pump', password: 'sesame' })
    await broker.rest.post('/admin/api/saved-messages', { clientId: 2, command: 'go' })
    await broker.send('pump', { command: 'a' })
    const gone = await broker.send('pump', { command: 'b' })
    await broker.acknowledge('pump', { id: gone })

    const detailed = (await broker.rest.get(`${SYSTEM}?details=true`)).body as {
      process: unknown
      settings: Setting[]
    }
    expect(detailed.process).toEqual({
      cpuPercent: expect.any(Number),
      memoryBytes: expect.any(Number),
      lagP99Ms: null,
      commitP99Ms: expect.any(Number),
    })
    const differs = detailed.settings.filter(({ isDefault }) => isDefault === false)
    expect(differs.map(({ name }) => name)).toContain('app.queue.limit')
    const secrets = detailed.settings.filter(({ secret }) => secret)
    expect(secrets.map(({ isDefault }) => isDefault)).toEqual(secrets.map(() => null))
    const answer = await broker.rest.get(SYSTEM)
    expect(answer.status).toBe(200)
    expect(answer.body).not.toHaveProperty('process')
    const { settings, ...system } = answer.body as { settings: Setting[]; storage: unknown }
    expect(system).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      nodeVersion: process.version,
      adapter: ADAPTER,
      startedDate: expect.any(Number),
      date: expect.any(Number),
      listeners: [
        { protocol: 'http', url: broker.server.url },
        { protocol: 'mqtt', url: `mqtt://127.0.0.1:${broker.mqttPort}` },
      ],
      storage: {
        directory: broker.dataDir,
        databaseBytes: statSync(join(broker.dataDir, 'waybill.db')).size,
        logBytes: expect.any(Number),
        freeBytes: expect.any(Number),
        diskBytes: expect.any(Number),
        failedDate: null,
      },
      counts: { messagesAtMost: 2, waiting: 1, clients: 2, templates: 1 },
    })
    const setting = (name: string) => settings.find((each) => each.name === name)
    expect(setting('app.queue.limit')).toEqual({
      name: 'app.queue.limit',
      env: 'WAYBILL_QUEUE_LIMIT',
      flag: null,
      value: 77,
      secret: false,
      origin: 'ENVIRONMENT',
      default: '10000 messages',
      unit: 'messages',
      meaning: 'maximum pending messages of one device',
    })
    expect(setting('server.adapter')).toMatchObject({ value: ADAPTER, origin: 'FLAG', default: 'node' })
    expect(setting('log.level')).toMatchObject({ value: 'info', origin: 'DEFAULT' })
    expect(setting('app.admin.password')).toMatchObject({ value: null, secret: true, origin: 'ENVIRONMENT' })
    for (const secret of [ADMIN_PASSWORD, JWT_SECRET]) expect(answer.text).not.toContain(secret)
  })

  test('backup: downloaded while the server runs, then restored → the messages stored before it', async () => {
    const broker = await BrokerUnderTest.start()
    const first = await broker.send('pump', { command: 'before' })
    const answer = await download(broker)
    const bytes = Buffer.from(await answer.arrayBuffer())
    await broker.send('pump', { command: 'after' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/vnd.sqlite3')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="waybill-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db"$/,
    )
    expect(filesOf(broker)).not.toContain('waybill.db.backup')

    await broker.server.kill()
    const file = join(temporaryDirectory(), 'copy.db')
    writeFileSync(file, bytes)
    const restored = restore(broker.dataDir, file)
    expect(restored).toMatchObject({ messages: 1, waiting: 1, clients: 1 })
    const again = await BrokerUnderTest.start({ dataDir: broker.dataDir })
    expect(await again.next('pump')).toBe(first)
  })

  test('backup: aborted before its first byte → the next one is 200', async () => {
    const broker = await BrokerUnderTest.start()
    const aborter = new AbortController()
    const gone = download(broker, aborter.signal)
    await eventually(() => expect(filesOf(broker)).toContain('waybill.db.backup'))
    aborter.abort()
    await expect(gone).rejects.toThrow()
    await eventually(async () => expect((await download(broker)).status).toBe(200))
  })
})

test('backup: a crash left half a file → the next start removes it', async () => {
  const dataDir = (await BrokerUnderTest.start()).leftBehind()
  writeFileSync(join(dataDir, 'waybill.db.backup'), 'half of it')
  const again = await BrokerUnderTest.start({ dataDir })
  expect(filesOf(again)).not.toContain('waybill.db.backup')
})

test('backup: the disk has no room → refused before anything is written', async () => {
  const store = new TemporaryStore()
  await store.messages.enqueue(message(), { messages: 10, bytes: 0 })
  const space = vi.spyOn(store.stats, 'space')
  space.mockResolvedValue({ directory: '', database: 900, log: 100, free: 16_777_216 + 999, disk: 1e9 })
  await expect(store.backups.make()).rejects.toMatchObject({ code: 'backup-no-room' })
  space.mockRestore()
  let bytes = 0
  for await (const piece of await store.backups.make()) bytes += piece.length
  expect(bytes).toBeGreaterThan(0)
})

function download({ server, token }: BrokerUnderTest, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${server.url}${SYSTEM}/backup`, { headers, ...(signal && { signal }) })
}

function filesOf({ dataDir }: BrokerUnderTest): string[] {
  return readdirSync(dataDir)
}
