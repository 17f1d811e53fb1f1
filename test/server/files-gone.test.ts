/** Files of the database that are removed, moved away or replaced under a running server: no submit is answered with 200 that a restart would not find. */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { DatabaseUnderTest, idsIn } from '../_support/db-command.ts'
import { alter } from '../_support/stored.ts'

/** Time between two looks of the server at its files. */
const LOOK_MS = 1_000
const FILES = ['waybill.db', 'waybill.db-wal', 'waybill.db-shm', 'waybill.lock'] as const
const [DATABASE, LOG, INDEX, LOCK] = FILES

let broker: BrokerUnderTest
let stored: DatabaseUnderTest
let ids: number[]
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  whenDone(() => vi.useRealTimers())
  stored = new DatabaseUnderTest()
  await stored.filled()
  broker = await BrokerUnderTest.start({ dataDir: stored.dataDir, unchecked: true })
  ids = [...idsIn(stored.path)]
  for (let n = 0; n < 3; n++) ids.push(await broker.send('pump', { command: 'start', data: { n } }))
})

const pathOf = (name: string): string => join(stored.dataDir, name)
const submit = async (): Promise<number> => (await broker.request('pump', { command: 'start' })).status
const ready = async (): Promise<number> => (await fetch(`${broker.server.url}/readyz`)).status
const errors = () => broker.server.log.filter(({ level }) => level === 'error')

/** Expects that the server refuses everything that would be stored, and says so once. */
async function expectStopped(
  names: readonly string[],
  begin = 'the files of the database were removed, moved away or replaced',
): Promise<void> {
  expect(await ready()).toBe(503)
  expect(await broker.request('pump', { command: 'start' })).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining('were removed or replaced') },
  })
  expect((await broker.acknowledge('pump', { id: ids[0], deliveryStatus: 'COMPLETED' })).status).toBe(503)
  const paths = names.map(pathOf).join(', ')
  const msg = expect.stringContaining(`${begin} (${paths}), so nothing can be stored. `)
  expect(errors()).toMatchObject([{ code: 'storage-failed', msg }])
  const { body } = await broker.rest.get('/admin/api/overview')
  expect(body).toMatchObject({ attention: [{ kind: 'STORAGE_FAILED' }] })
}

const remove = (...names: string[]) => {
  for (const name of names) rmSync(pathOf(name))
}
const moveAway = (): void => renameSync(stored.dataDir, `${stored.dataDir}.old`)

describe('files of a running server', () => {
  test.each<[string, gone: readonly string[], change: () => void]>([
    ['the data directory is removed', FILES, () => rmSync(stored.dataDir, { recursive: true })],
    ['the log is removed', [LOG], () => remove(LOG)],
    ['the database is removed', [DATABASE], () => remove(DATABASE)],
    ['a backup takes the place of the database', [DATABASE], () => renameSync(stored.backup, stored.path)],
  ])('%s → the very next submit is 503', async (_what, gone, change) => {
    await stored.said('backup', stored.backup)
    change()

    expect(await submit()).toBe(503)
    await expectStopped(gone)
  })

  test.each<[string, gone: readonly string[], change: () => void]>([
    ['the directory is moved away', FILES, moveAway],
    ['another directory takes its place', FILES, replaceDirectory],
    ['the index of the log is removed', [INDEX], () => remove(INDEX)],
    ['the log is moved away', [LOG], () => renameSync(pathOf(LOG), pathOf('away'))],
    ['the lock is removed', [LOCK], () => remove(LOCK)],
  ])('%s → 503 after a second', async (_what, gone, change) => {
    change()
    await vi.advanceTimersByTimeAsync(LOOK_MS)

    await expectStopped(gone)
  })

  test.each<[string, change: () => void]>([
    ['a backup is copied over the database', () => copyFileSync(stored.backup, stored.path)],
    ['the database is emptied', () => truncateSync(stored.path)],
    [
      'a backup is copied over the database, and its log is removed',
      () => {
        copyFileSync(stored.backup, stored.path)
        remove(LOG, INDEX)
      },
    ],
  ])('%s → 503 after a second', async (_what, change) => {
    await stored.said('backup', stored.backup)
    change()
    await vi.advanceTimersByTimeAsync(LOOK_MS)

    await expectStopped([DATABASE], 'another program wrote over the database')
  })

  test('files have further names, other programs read and write → stored as before', async () => {
    for (const name of FILES) linkSync(pathOf(name), join(temporaryDirectory(), 'link'))
    await stored.said('backup', stored.backup)
    alter(stored.path, 'CREATE INDEX own ON messages (command)')
    await vi.advanceTimersByTimeAsync(LOOK_MS)
    alter(stored.path, 'PRAGMA wal_checkpoint(RESTART)')
    await vi.advanceTimersByTimeAsync(LOOK_MS)
    alter(stored.path, 'VACUUM')
    await vi.advanceTimersByTimeAsync(LOOK_MS)

    expect([await submit(), await ready(), errors()]).toEqual([200, 200, []])
  })
})

test('a directory is moved away and back → 503 until a restart, which has all messages', async () => {
  moveAway()
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  await expectStopped(FILES)
  renameSync(`${stored.dataDir}.old`, stored.dataDir)
  expect([await submit(), await ready()]).toEqual([503, 503])

  await broker.server.kill()
  const again = await BrokerUnderTest.start({ dataDir: stored.dataDir })
  expect(idsIn(stored.path)).toEqual(ids)
  expect((await again.request('pump', { command: 'start' })).status).toBe(200)
})

test('the log is removed, and the server stops → a start has all messages', async () => {
  remove(LOG)
  expect(await submit()).toBe(503)
  await broker.server.kill()

  await BrokerUnderTest.start({ dataDir: stored.dataDir })
  expect(idsIn(stored.path)).toEqual(expect.arrayContaining(ids))
})

test('a removed directory: the open files are copied as the log says → a start on the copy has all messages', async ({
  skip,
}) => {
  if (!existsSync('/proc/self/fd')) return skip('no /proc')
  rmSync(stored.dataDir, { recursive: true })
  expect(await submit()).toBe(503)
  const copy = temporaryDirectory()
  const cure =
    /before you copy the open files into an empty directory: (.*)\. Then start it with --data-dir DIR$/
  const [, commands] = cure.exec(errors()[0]?.msg ?? '') as unknown as [string, string]
  execFileSync('sh', ['-c', commands.replaceAll('DIR', copy)])
  await broker.server.kill()

  const again = await BrokerUnderTest.start({ dataDir: copy })
  expect(await Promise.all(ids.map((id) => again.status(id)))).toEqual(ids.map(() => 'NOT_DELIVERED'))
})

test('another directory takes the place, and the server stops → the files there are untouched', async () => {
  replaceDirectory()
  await vi.advanceTimersByTimeAsync(LOOK_MS)
  await expectStopped(FILES)
  const read = () => FILES.map((name) => readFileSync(pathOf(name), 'latin1'))
  const before = read()
  await broker.server.kill()

  expect(read()).toEqual(before)
})

/** Puts a copy of all files in the place of the directory. */
function replaceDirectory(): void {
  const copy = `${stored.dataDir}.copy`
  mkdirSync(copy, { mode: 0o700 })
  cpSync(stored.dataDir, copy, { recursive: true })
  moveAway()
  renameSync(copy, stored.dataDir)
}
