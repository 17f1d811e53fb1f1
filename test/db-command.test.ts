/** `waybill db`: check, backup, restore. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../src/cli.ts'
import { MIGRATIONS } from '../src/store/sqlite/migrations.ts'
import { BrokerUnderTest } from './_support/broker.ts'
import { temporaryDirectory, whenDone } from './_support/cleanup.ts'
import { type Ended, LOCAL, runCommand } from './_support/server.ts'
import { alter, databaseIn, fingerprint, rowsOf } from './_support/stored.ts'

vi.setConfig({ testTimeout: 60_000 })

const root = temporaryDirectory()
let dataDir: string
let database: string
/** Outside of the data directory, and not there yet. */
let backup: string
beforeEach(() => {
  dataDir = temporaryDirectory()
  database = databaseIn(dataDir)
  backup = join(temporaryDirectory(), 'backup.db')
})

const start = (directory = dataDir): Promise<BrokerUnderTest> =>
  BrokerUnderTest.start({ adapter: 'node', dataDir: directory })

type Outcome = Pick<Ended, 'code' | 'stdout' | 'stderr'>

/** The command in a process of its own. */
const spawned = (...args: string[]): Promise<Outcome> => runCommand({ args: ['db', ...args], dataDir })

/** The same in this process, which is quicker. */
async function db(...args: string[]): Promise<Outcome> {
  const out: string[] = []
  const err: string[] = []
  const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) }
  const code = (await run(['db', ...args, '--data-dir', dataDir], io, () => {})) ?? null
  return { code, stdout: out.join(''), stderr: err.join('') }
}

/** What a command said that did its work. */
async function said(...args: string[]): Promise<string> {
  return answerOf(await db(...args))
}

function answerOf({ code, stdout, stderr }: Outcome): string {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** What a command said that did nothing. */
async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await db(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  return stderr
}

const left = new Map<NodeJS.Signals, string>()

/** Fills the data directory with two messages for `pump`, as a server left them that this signal ended. */
async function filled(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const template = left.get(signal) ?? mkdtempSync(join(root, signal))
  if (!left.has(signal)) await send(2, signal, template)
  left.set(signal, template)
  cpSync(template, dataDir, { recursive: true })
}

/** Sends so many messages more. */
async function send(count: number, signal: NodeJS.Signals, directory = dataDir): Promise<void> {
  const broker = await start(directory)
  for (let n = 0; n < count; n++) await broker.send('pump', { command: 'start', data: { n } })
  await broker.server.kill(signal)
}

const idsIn = (path: string): number[] =>
  rowsOf<{ id: number }>(path, 'SELECT id FROM messages ORDER BY id').map(({ id }) => id)

describe('check', () => {
  test('tells what is in a sound database, in one line', async () => {
    await filled()
    expect(answerOf(await spawned('check'))).toBe(`${database} is sound: 2 messages (2 waiting), 1 client\n`)
  })

  test('works while the server runs, which goes on', async () => {
    const broker = await start()
    const id = await broker.send('pump', { command: 'start' })
    await broker.acknowledge('pump', { id })
    await broker.send('pump', { command: 'stop' })
    expect(await said('check')).toBe(`${database} is sound: 2 messages (1 waiting), 1 client\n`)
    await broker.send('pump', { command: 'stop' })
    expect(await said('check')).toContain('3 messages (2 waiting)')
  })

  test('changes nothing, not even the log that a killed server left', async () => {
    await filled('SIGKILL')
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(0)
    const before = fingerprint(database)
    await said('check')
    expect(fingerprint(database)).toBe(before)
  })

  test('takes data of any depth that the broker takes', async () => {
    const broker = await start()
    const data = `{"deep":${'['.repeat(2000)}${']'.repeat(2000)}}`
    expect(await broker.request('pump', `{"command":"start","data":${data}}`)).toMatchObject({ status: 200 })
    expect(await said('check')).toContain('is sound')
  })

  test('where there is no database: says so, and makes none', async () => {
    expect(await refused('check')).toBe(`waybill: there is no database ${database}\n`)
    expect(readdirSync(dataDir)).toEqual([])
  })

  test.each([
    [`UPDATE messages SET status = 'LOST' WHERE id = 1`, '1 messages of an unknown status'],
    [`UPDATE messages SET guarantee = 'ALWAYS'`, '2 messages of an unknown guarantee'],
    [
      `UPDATE messages SET status = 'UNKNOWN' WHERE id = 2`,
      '1 messages that are UNKNOWN, which only one with guarantee NO can be',
    ],
    [`UPDATE messages SET data = '[]' WHERE id = 2`, '1 messages whose data is no JSON object'],
    [`UPDATE messages SET data = '{"n":' WHERE id = 2`, '1 messages whose data is no JSON object'],
    [
      `UPDATE messages SET guarantee = 'ONLY_LAST' WHERE id = 2`,
      '1 commands of a device with a message that ONLY_LAST should have cancelled',
    ],
    [
      `UPDATE sqlite_sequence SET seq = 1 WHERE name = 'messages'`,
      '1 messages with an id that would be given out again',
    ],
    [`DELETE FROM sqlite_sequence`, '2 messages with an id that would be given out again'],
    [`UPDATE clients SET role = 'ROOT'`, '1 clients of an unknown role'],
    [`INSERT INTO templates VALUES (7, 1, '', 'on', 'MAYBE', '{}')`, '1 templates of an unknown guarantee'],
    [`INSERT INTO templates VALUES (7, 1, '', 'on', 'NO', '[]')`, '1 templates whose data is no JSON object'],
    [
      `UPDATE progress SET message_id = 2`,
      '2 messages that the index by device should have, or has under another device',
    ],
    [`INSERT INTO device_messages VALUES ('ghost', 1)`, '1 entries of the index by device without a message'],
    [
      `PRAGMA foreign_keys = OFF; INSERT INTO attempts VALUES (77, 1, 0, 'mqtt', NULL)`,
      '1 rows that refer to a row that is not there',
    ],
    [`DROP TABLE attempts`, '"attempts" is missing'],
    [`ALTER TABLE clients ADD COLUMN shoe_size INTEGER`, '"clients" is not as it was made'],
  ])('finds what must not be: %s', async (sql, finding) => {
    await filled()
    alter(database, sql)
    expect((await refused('check')).split('\n')).toContain(`waybill: ${database} is damaged: ${finding}`)
  })

  test('has a line for each finding', async () => {
    await filled()
    alter(database, `UPDATE messages SET status = 'LOST'; UPDATE clients SET role = 'ROOT'`)
    expect(await refused('check')).toBe(
      `waybill: ${database} is damaged: 2 messages of an unknown status\n` +
        `waybill: ${database} is damaged: 1 clients of an unknown role\n`,
    )
  })
})

describe('backup', () => {
  test('writes one private file, and says what is in it', async () => {
    const mask = process.umask(0)
    whenDone(() => process.umask(mask))
    await filled('SIGKILL')
    const before = fingerprint(database)

    const text = await said('backup', backup)

    expect(text).toBe(`${backup} has 2 messages (2 waiting), 1 client; ${statSync(backup).size} bytes\n`)
    expect((statSync(backup).mode & 0o777).toString(8)).toBe('600')
    expect(readdirSync(join(backup, '..'))).toEqual(['backup.db'])
    expect(fingerprint(database)).toBe(before)
  })

  test('of a server under load is its state at one moment', async () => {
    const broker = await start()
    const answered: number[] = []
    let stop = false
    const produce = async (): Promise<void> => {
      while (!stop) answered.push(await broker.send('pump', { command: 'start' }))
    }
    await broker.send('pump', { command: 'start' })
    const load = Promise.all(Array.from({ length: 16 }, produce))
    const before = await broker.send('pump', { command: 'start' })
    answerOf(await spawned('backup', backup))
    const last = answered.at(-1) as number
    stop = true
    await load

    const ids = idsIn(backup)
    expect(ids).toEqual(ids.map((_, i) => i + 1))
    expect(ids.length).toBeGreaterThanOrEqual(before)
    expect(last).toBeGreaterThan(before)
  })

  test('leaves a file alone that is there, unless it is told otherwise', async () => {
    await filled()
    writeFileSync(backup, 'precious')
    expect(await refused('backup', backup)).toBe(
      `waybill: ${backup} is there already: name another file, or replace it with --force\n`,
    )
    expect(statSync(backup).size).toBe('precious'.length)

    await said('backup', backup, '--force')
    expect(idsIn(backup)).toEqual([1, 2])
  })

  test.each(['waybill.db', 'waybill.db-wal', 'mine.db'])(
    'does not write into the data directory (%s), not even with --force',
    async (name) => {
      await filled('SIGKILL')
      const before = fingerprint(database)
      expect(await refused('backup', join(dataDir, name), '--force')).toMatch(
        /^waybill: \S+ is in the data directory: name a file outside of it, best on another disk\n$/,
      )
      expect(fingerprint(database)).toBe(before)
    },
  )

  test('that cannot be written leaves nothing', async () => {
    await filled()
    const below = join(backup, '..', 'missing', 'backup.db')
    expect(await refused('backup', below)).toMatch(/^waybill: \S+missing\/backup\.db: ENOENT[^\n]*\n$/)
  })

  test('of a damaged database is refused, with the cure', async () => {
    await filled()
    alter(database, 'DROP TABLE attempts')
    expect(await refused('backup', backup)).toBe(
      `waybill: ${database} is damaged ("attempts" is missing): "waybill db check" tells more, ` +
        `"waybill db restore FILE" puts a backup in its place\n`,
    )
    expect(readdirSync(join(backup, '..'))).toEqual([])
  })

  test('where there is no database', async () => {
    expect(await refused('backup', backup)).toBe(`waybill: there is no database ${database}\n`)
  })
})

describe('restore', () => {
  const replacedIn = (text: string): string => /what was there before is in (\S+)\n/.exec(text)?.[1] ?? ''

  test('puts the backup in place and keeps what was there, with its log', async () => {
    await filled()
    await said('backup', backup)
    await send(3, 'SIGKILL')

    const text = await said('restore', backup)

    const replaced = replacedIn(text)
    expect(text).toBe(
      `${database} has what was in ${backup}: 2 messages (2 waiting), 1 client\n` +
        `what was there before is in ${replaced}\n`,
    )
    expect(replaced).toMatch(/\/waybill\.db\.replaced-\d{4}-\d\d-\d\dT[\d.-]+Z$/)
    expect(existsSync(`${replaced}-wal`)).toBe(true)
    expect(idsIn(replaced)).toEqual([1, 2, 3, 4, 5])
    const broker = await start()
    expect(await broker.next('pump')).toBe(1)
    expect((statSync(database).mode & 0o777).toString(8)).toBe('600')
  })

  test('gives no id a second time, also of the messages that the backup has not', async () => {
    await filled()
    await said('backup', backup)
    await send(3, 'SIGKILL')
    await said('restore', backup)

    const broker = await start()
    expect((await broker.rest.get('/producer/getMessageStatus/5')).status).toBe(404)
    expect(await broker.send('pump', { command: 'start' })).toBe(6)
  })

  test('is undone by restoring what was replaced', async () => {
    await filled()
    await said('backup', backup)
    await send(1, 'SIGKILL')
    const replaced = replacedIn(await said('restore', backup))

    await said('restore', replaced)

    expect(idsIn(database)).toEqual([1, 2, 3])
    expect(idsIn(replaced)).toEqual([1, 2, 3])
    expect(await said('check')).toContain('3 messages')
  })

  test('into a new directory', async () => {
    await filled()
    await said('backup', backup)
    dataDir = join(temporaryDirectory(), 'new')
    expect(await said('restore', backup)).toBe(
      `${databaseIn(dataDir)} has what was in ${backup}: 2 messages (2 waiting), 1 client\n`,
    )
    expect(await (await start()).next('pump')).toBe(1)
  })

  test('of a database that cannot be read says that ids may come twice', async () => {
    await filled()
    await said('backup', backup)
    writeFileSync(database, 'a shopping list, longer than a header of a database would be.\n'.repeat(20))

    const text = await said('restore', backup)

    expect(text).toMatch(
      /\nit could not be read: ids are given out again that were given out after the backup\n$/,
    )
    expect(statSync(replacedIn(text)).size).toBeGreaterThan(0)
    expect(await (await start()).next('pump')).toBe(1)
  })

  test('is refused while a server holds the directory', async () => {
    await filled()
    await said('backup', backup)
    const broker = await start()
    expect(await refused('restore', backup)).toBe(
      `waybill: data directory ${dataDir} is in use by another waybill: stop it, or name another --data-dir\n`,
    )
    expect(await broker.send('pump', { command: 'start' })).toBe(3)
  })

  test.each([
    ['is not there', () => undefined, /there is no database \S+backup\.db$/],
    ['is empty', () => writeFileSync(backup, ''), /backup\.db is damaged: the file is empty$/],
    [
      'is no database',
      () => writeFileSync(backup, 'x'.repeat(5000)),
      /backup\.db is damaged: file is not a database$/,
    ],
    [
      'is of another program',
      () => alter(backup, 'CREATE TABLE t (a)'),
      /damaged: it is no database of waybill$/,
    ],
    [
      'is damaged',
      () => {
        copyFileSync(database, backup)
        alter(backup, `UPDATE messages SET status = 'LOST'`)
      },
      /backup\.db is damaged: 2 messages of an unknown status$/,
    ],
    [
      'is of a later release',
      () => {
        copyFileSync(database, backup)
        alter(backup, `PRAGMA user_version = ${MIGRATIONS.length + 1}`)
      },
      /backup\.db was written by a later release of waybill: install that one, or restore a backup$/,
    ],
  ])('of a backup that %s changes nothing', async (_what, make, problem) => {
    await filled()
    make()
    const before = fingerprint(database)
    expect((await refused('restore', backup)).trim()).toMatch(problem)
    expect(fingerprint(database)).toBe(before)
    expect(readdirSync(dataDir).filter((name) => /replaced|restoring/.test(name))).toEqual([])
  })

  test('of the database itself is refused', async () => {
    await filled()
    expect(await refused('restore', database)).toBe(
      `waybill: ${database} is the database itself: name a backup of it\n`,
    )
  })

  test('that was interrupted half way is refused at the start, and mended by another one', async () => {
    await filled()
    await said('backup', backup)
    copyFileSync(backup, `${database}.restoring`)
    renameSync(database, `${database}.replaced-before`)

    const { code, stderr } = await runCommand({ args: LOCAL, dataDir })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `waybill: ${database} is missing, but ${database}.restoring is there: ` +
        `run "waybill db restore FILE", or move it away to begin with nothing\n`,
    })
    await said('restore', backup)
    expect(await (await start()).next('pump')).toBe(1)
    expect(idsIn(`${database}.replaced-before`)).toEqual([1, 2])
  })

  test('that was interrupted while it copied does not matter', async () => {
    await filled()
    await said('backup', backup)
    writeFileSync(`${database}.restoring`, 'half of it')

    const broker = await start()
    expect(await broker.next('pump')).toBe(1)
    await broker.server.kill()
    await said('restore', backup)
    expect(readdirSync(dataDir)).not.toContain('waybill.db.restoring')
  })
})
