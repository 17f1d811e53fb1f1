/** A damaged database: refused at the start with one line that names the remedy, never served in silence. */
import {
  closeSync,
  cpSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { StartError } from '../../src/process/start-error.ts'
import { MIGRATIONS } from '../../src/store/sqlite/schema/migrations.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { LOCAL, runCommand } from '../_support/server.ts'
import { openIn } from '../_support/store.ts'
import { alter, databaseIn, rowsOf } from '../_support/stored.ts'

const PAGE = 4096
const MESSAGES = 400

/**
 * Data directories of a server that was stopped, and of one that was killed with a log of many transactions;
 * a backup of the second.
 */
const stopped = temporaryDirectory()
const killed = temporaryDirectory()
const backup = join(temporaryDirectory(), 'backup.db')
beforeAll(async () => {
  const first = await start(stopped)
  const numbers = Array.from({ length: MESSAGES }, (_, n) => n)
  await Promise.all(numbers.map((n) => first.send(`pump-${n % 5}`, { command: 'start', data: { n } })))
  await first.server.kill()
  cpSync(stopped, killed, { recursive: true })
  const second = await start(killed)
  for (let n = 0; n < 20; n++) await second.send('pump-0', { command: 'stop', data: { n } })
  await second.server.kill('SIGKILL')
  await run(['db', 'backup', backup, '--data-dir', killed], { out: () => {}, err: () => {} }, () => {})
})

let dataDir: string
let database: string
let log: string
function use(template: string): void {
  dataDir = temporaryDirectory()
  cpSync(template, dataDir, { recursive: true })
  database = databaseIn(dataDir)
  log = `${database}-wal`
}
beforeEach(() => use(stopped))

const start = (directory: string): Promise<BrokerUnderTest> => BrokerUnderTest.spawn({ dataDir: directory })

/** Overwrites a part of a file with the same bytes in each run. */
function garble(file: string, from: number, length: number): void {
  const fd = openSync(file, 'r+')
  const garbage = Buffer.alloc(length, `garbage ${from}`)
  writeSync(fd, garbage, 0, length, from)
  closeSync(fd)
}

async function check(): Promise<{ code: number | undefined; stderr: string }> {
  const err: string[] = []
  const io = { out: () => {}, err: (text: string) => void err.push(text) }
  const code = await run(['db', 'check', '--data-dir', dataDir], io, () => {})
  return { code, stderr: err.join('') }
}

const size = (): number => statSync(database).size
/** Returns the beginning of the page at this part of the file. */
const pageAt = (part: number): number => Math.floor((part * size()) / PAGE) * PAGE

describe('start with a damaged database', () => {
  test.each<[string, () => void, from?: string]>([
    ['a wrong header', () => garble(database, 0, 100)],
    ['a wrong page size in the header', () => garble(database, 16, 2)],
    ['a wrong first page behind the header', () => garble(database, 100, 400)],
    ['a page in the first third', () => garble(database, pageAt(0.3), PAGE)],
    ['a page in the middle', () => garble(database, pageAt(0.6), PAGE)],
    ['the last page', () => garble(database, size() - PAGE, PAGE)],
    ['a page of zeros', () => writeAt(database, pageAt(0.5), Buffer.alloc(PAGE))],
    ['half of the file', () => truncateSync(database, Math.floor(size() / 2))],
    ['all but its last bytes', () => truncateSync(database, size() - 10)],
    ['only its first page', () => truncateSync(database, PAGE)],
    ['an empty file', () => truncateSync(database, 0)],
    ['a missing table', () => alter(database, 'DROP TABLE clients')],
    ['a log without its header', () => garble(log, 0, 32), killed],
    ['a log of garbage', () => garble(log, 0, statSync(log).size), killed],
    ['a log with garbage in the middle', () => garble(log, 3 * (PAGE + 24), 200), killed],
    ['a log with garbage from the middle on', () => garbleTail(3 * (PAGE + 24)), killed],
    ['an empty file with a log', () => truncateSync(database, 0), killed],
  ])('%s → refused, found by db check, repaired by db restore', async (_what, damage, from = stopped) => {
    use(from)
    damage()
    const { code, stdout, stderr } = await runCommand({ args: LOCAL, dataDir })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^waybill: \S+\/waybill\.db is damaged \([^\n]+\): ("waybill db check" tells more|"waybill db recover" keeps all messages before the damage), "waybill db restore FILE" puts a backup in its place\n$/,
    )
    expect(stderr.includes('db recover')).toBe(stderr.includes('write-ahead log'))

    expect(await check()).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^(waybill: \S+ is damaged: .*\n)+$/),
    })
    expect((await run(['db', 'restore', backup, '--data-dir', dataDir], quiet, () => {})) ?? 0).toBe(0)
    expect(await check()).toEqual({ code: 0, stderr: '' })
  })

  const quiet = { out: () => {}, err: () => {} }
  const garbleTail = (from: number): void => garble(log, from, statSync(log).size - from)

  test('a database of a later release → refused with another remedy', async () => {
    alter(database, `PRAGMA user_version = ${MIGRATIONS.length + 1}`)
    expect(await runCommand({ args: LOCAL, dataDir })).toMatchObject({
      code: 1,
      stderr: `waybill: ${database} was written by a later release of waybill: install that one, or restore a backup\n`,
    })
  })

  test('a backup is restored → all messages are served', async () => {
    garble(database, pageAt(0.5), PAGE)
    await runCommand({ args: ['db', 'restore', backup], dataDir })
    const broker = await start(dataDir)
    const counted = rowsOf<{ n: number }>(database, 'SELECT count(*) AS n FROM messages')
    expect(counted).toEqual([{ n: MESSAGES + 20 }])
    expect(await broker.next('pump-0')).toBe(rowsOf<{ id: number }>(backup, OLDEST)[0]?.id)
  })
  const OLDEST = `SELECT min(id) AS id FROM messages WHERE device_id = 'pump-0'`
})

test('database file: a random sector is overwritten → refused, or no row changes', async () => {
  const whole = readFileSync(database)
  const rows = (): string =>
    JSON.stringify([rowsOf(database, ALL), rowsOf(database, 'SELECT * FROM clients')])
  const before = rows()
  const sector = fc.integer({ min: 0, max: whole.length / 512 - 1 })
  const bytes = fc.uint8Array({ minLength: 512, maxLength: 512 })
  await fc.assert(
    fc.asyncProperty(sector, bytes, async (n, garbage) => {
      writeFileSync(database, whole)
      writeAt(database, n * 512, garbage)
      try {
        await openIn(dataDir).close()
      } catch (error) {
        expect(error).toBeInstanceOf(StartError)
        expect((error as Error).message).toMatch(/ is damaged \(.*restore|later release/)
        return
      }
      expect(rows()).toBe(before)
    }),
    { numRuns: 150 },
  )
})
const ALL = 'SELECT * FROM messages ORDER BY id'

function writeAt(file: string, at: number, bytes: Uint8Array): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, bytes, 0, bytes.length, at)
  closeSync(fd)
}

describe('start with the log of a power cut', () => {
  /** Expects all messages but the last one, which may be lost: each was a transaction of its own, and the last had no answer. */
  const expectAllButTheLast = async (): Promise<void> => {
    const broker = await start(dataDir)
    const found = rowsOf<{ data: string }>(database, `SELECT data FROM messages WHERE command = 'stop'`)
    expect(found.length).toBeGreaterThanOrEqual(19)
    expect(found.map(({ data }) => data)).toEqual(found.map((_, n) => `{"n":${n}}`))
    await broker.send('pump-0', { command: 'start' })
  }
  beforeEach(() => use(killed))

  test('its last frame is cut off → the transactions before it', async () => {
    truncateSync(log, statSync(log).size - 1000)
    await expectAllButTheLast()
  })

  test('its last frame is torn → the transactions before it', async () => {
    garble(log, statSync(log).size - 600, 600)
    await expectAllButTheLast()
  })

  test('zeros behind it → all transactions', async () => {
    const end = statSync(log).size
    truncateSync(log, end + 10 * (PAGE + 24))
    await expectAllButTheLast()
  })

  test('zeros only → the database without it', async () => {
    use(stopped)
    writeFileSync(log, Buffer.alloc(5 * (PAGE + 24)))
    const broker = await start(dataDir)
    expect(rowsOf(database, ALL)).toHaveLength(MESSAGES)
    await broker.send('pump-0', { command: 'start' })
  })

  test('frames of an earlier round behind it → the last transaction', async () => {
    const broker = await start(dataDir)
    for (let n = 0; n < 5; n++) await broker.send('pump-0', { command: 'stop', data: { n } })
    alter(database, 'PRAGMA wal_checkpoint(RESTART)')
    const id = await broker.send('pump-0', { command: 'last' })
    await broker.server.kill('SIGKILL')
    expect(statSync(log).size).toBeGreaterThan(3 * (PAGE + 24))
    expect(await (await start(dataDir)).status(id)).toBe('NOT_DELIVERED')
  })
})

describe('damage found by a running server', () => {
  const MANY = 120_000

  test('most of the file is overwritten → writes are 503, the log names the remedy', async () => {
    // More rows than SQLite keeps in memory, none of them pending.
    alter(
      database,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
       INSERT INTO messages (device_id, command, guarantee, data, status, created_at_ms, changed_at_ms, delivered_at_ms)
       SELECT 'lamp', 'on', 'RECEIPT_CONFIRMATION', '{"text":"' || hex(zeroblob(200)) || '"}', 'DELIVERED', i, i, i FROM n`,
    )
    const broker = await start(dataDir)
    garble(database, pageAt(0.1), pageAt(0.9) - pageAt(0.1))

    const acknowledged = await broker.acknowledge('lamp', { id: MANY / 2, deliveryStatus: 'COMPLETED' })
    expect(acknowledged.status).toBe(503)
    const line = await broker.server.logged(({ level }) => level === 'error')
    expect(line).toMatchObject({
      msg: 'the database is damaged, so nothing can be stored. Stop the server; "waybill db check" tells more, "waybill db restore FILE" puts a backup in its place',
      err: { code: expect.stringMatching(/^SQLITE_CORRUPT/) },
    })
    expect(await broker.request('lamp', { command: 'on' })).toMatchObject({ status: 503 })
    const overview = await broker.rest.get('/admin/api/overview')
    expect(overview).toMatchObject({ status: 200, body: { attention: expect.any(Array) } })
    const { attention } = overview.body as { attention: { kind: string; since: number }[] }
    expect(attention[0]).toMatchObject({ kind: 'STORAGE_FAILED', since: expect.any(Number) })
    expect(await broker.rest.get(`/producer/getMessageStatus/${MANY / 3}`)).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('The database is damaged') },
    })
  })
})
