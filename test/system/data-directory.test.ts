/** The data directory: private, held by one process at a time, refused with a remedy when it cannot be used. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { StartError } from '../../src/process/start-error.ts'
import { version } from '../../src/process/version.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { MIGRATIONS, migrate } from '../../src/store/sqlite/schema/migrations.ts'
import type { Storage } from '../../src/store/storage.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { runCommand, startServer } from '../_support/server.ts'
import { openIn } from '../_support/store.ts'
import { fingerprint } from '../_support/stored.ts'

const SERVE = ['--host', '127.0.0.1:0', '--mqtt', 'off']

let root: string
let directory: string
beforeEach(() => {
  root = temporaryDirectory()
  directory = join(root, 'data')
})

function open(path = directory): Storage {
  const storage = openIn(path)
  whenDone(() => storage.close())
  return storage
}

/** Opens a directory that is refused and returns the text of the StartError. */
function refusal(path = directory): string {
  try {
    void openIn(path).close()
  } catch (error) {
    expect(error).toBeInstanceOf(StartError)
    return (error as Error).message
  }
  throw new Error('it was opened')
}

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const modes = (): Record<string, string> =>
  Object.fromEntries(readdirSync(directory).map((name) => [name, mode(join(directory, name))]))

describe('new data directory', () => {
  test('opened by a store → for the owner only, as are all files in it', async () => {
    const mask = process.umask(0)
    whenDone(() => process.umask(mask))
    const { messages } = open(join(directory, 'deep', 'down'))
    directory = join(directory, 'deep', 'down')
    await messages.enqueue(message(), { messages: 10, bytes: 0 })

    expect(mode(directory)).toBe('700')
    expect(modes()).toEqual({
      'waybill.db': '600',
      'waybill.db-shm': '600',
      'waybill.db-wal': '600',
      'waybill.lock': '600',
    })
  })

  test('opened by a server → for the owner only, as are all files in it', async () => {
    await startServer({ dataDir: directory })

    expect(mode(directory)).toBe('700')
    expect(modes()['jwt-secret']).toBe('600')
    expect(new Set(Object.values(modes()))).toEqual(new Set(['600']))
  })
})

describe('data directory open to other users', () => {
  test('empty → closed to others', () => {
    mkdirSync(directory)
    chmodSync(directory, 0o777)
    open()

    expect(mode(directory)).toBe('700')
  })

  test('a data directory already → closed to others', async () => {
    await open().close()
    chmodSync(directory, 0o755)
    chmodSync(join(directory, DATABASE_FILE), 0o644)
    open()

    expect(mode(directory)).toBe('700')
    expect(modes()[DATABASE_FILE]).toBe('600')
  })

  test('other files in it → refused and unchanged', () => {
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    writeFileSync(join(directory, 'holiday.jpg'), 'x')

    expect(refusal()).toBe(
      `data directory ${directory} holds other files and is open to other users: name an empty directory with --data-dir`,
    )
    expect(mode(directory)).toBe('755')
    expect(readdirSync(directory)).toEqual(['holiday.jpg'])
  })
})

describe('data directory in use', () => {
  const inUse = () =>
    `data directory ${directory} is in use by another waybill: stop it, or name another --data-dir`

  test('a second store → refused at once; accepted after the first closed', async () => {
    const first = open()

    expect(refusal()).toBe(inUse())
    await first.close()
    open()
  })

  test('a second process → ends with the reason', async () => {
    open()
    const second = await runCommand({ args: SERVE, dataDir: directory })

    expect(second).toMatchObject({ code: 1, stderr: `waybill: ${inUse()}\n` })
  })

  test('a second store was refused → a second process is refused too', async () => {
    open()
    refusal()
    const second = await runCommand({ args: SERVE, dataDir: directory })

    expect(second).toMatchObject({ code: 1, stderr: `waybill: ${inUse()}\n` })
  })

  test('by a server → refused; accepted at once after that is killed', async () => {
    const server = await startServer({ dataDir: directory })

    expect(refusal()).toBe(inUse())
    await server.kill('SIGKILL')
    open()
  })

  test('a second store was refused → the first one still works', async () => {
    const { messages } = open()
    refusal()
    const { id } = await messages.enqueue(message(), { messages: 10, bytes: 0 })

    expect(await messages.status(id)).toBe('NOT_DELIVERED')
  })
})

describe('unusable path of a data directory', () => {
  const cure = /^data directory .* cannot be used \(.*\): name a writable one with --data-dir$/

  test('a file → refused', () => {
    writeFileSync(directory, '')

    expect(refusal()).toMatch(cure)
  })

  test('below a file → refused', () => {
    writeFileSync(directory, '')

    expect(refusal(join(directory, 'below'))).toMatch(cure)
  })

  test('nothing can be created there → refused', () => {
    expect(refusal('/sys/waybill-data')).toMatch(cure)
  })

  test('a directory in the place of the lock → refused', () => {
    mkdirSync(join(directory, 'waybill.lock'), { recursive: true, mode: 0o700 })

    expect(refusal()).toMatch(cure)
  })

  test('its lock is no lock → refused', () => {
    mkdirSync(directory, { mode: 0o700 })
    writeFileSync(join(directory, 'waybill.lock'), 'a shopping list, long enough for a header.\n'.repeat(20))

    expect(refusal()).toMatch(cure)
  })

  test('started by a server → one line', async () => {
    writeFileSync(directory, '')
    const { code, stderr } = await runCommand({ args: SERVE, dataDir: directory })

    expect(code).toBe(78)
    expect(stderr).toMatch(/^waybill: data directory .* cannot be used .*\n$/)
  })
})

describe('unusable database', () => {
  const file = (): string => join(directory, DATABASE_FILE)
  const damaged = (reason: string): string =>
    `${file()} is damaged (${reason}): "waybill db check" tells more, "waybill db restore FILE" puts a backup in its place`
  beforeEach(() => mkdirSync(directory, { mode: 0o700 }))

  test('no database → damaged', () => {
    writeFileSync(file(), 'a shopping list, longer than a header of a database would be.\n'.repeat(20))

    expect(refusal()).toBe(damaged('file is not a database'))
  })

  test('a broken schema → damaged', async () => {
    await open().close()
    const db = new Database(file())
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    db.exec(`UPDATE sqlite_schema SET sql = 'CREATE TABLE clients (' WHERE name = 'clients'`)
    db.close()

    expect(refusal()).toBe(damaged('malformed database schema (clients) - incomplete input'))
  })

  test('of another program → refused and unchanged', () => {
    const db = new Database(file())
    db.exec('CREATE TABLE clients (mine TEXT)')
    db.close()

    expect(refusal()).toBe(damaged('it is no database of waybill'))
    expect(tables()).toEqual(['clients'])
  })

  test.each<[string, change: (db: Database.Database) => unknown, taken?: boolean]>([
    ['other steps of the same number', (db) => db.pragma('application_id = 1')],
    ['no fingerprint and other tables', (db) => db.exec('PRAGMA application_id = 0; DROP TABLE audit')],
    ['one more step', (db) => db.pragma(`user_version = ${MIGRATIONS.length + 1}`), true],
  ])(
    'of an unreleased build, with %s → refused with the cure, and unchanged',
    async (_what, change, taken = false) => {
      await open().close()
      const db = new Database(file())
      change(db)
      if (taken) db.prepare('INSERT INTO schema_steps VALUES (?, ?)').run(MIGRATIONS.length + 1, version())
      db.close()
      const before = fingerprint(file())

      expect(refusal()).toBe(
        `${file()} was made by an unreleased build of waybill, whose schema this one does not have: start that build, restore a backup, or move the data directory away to begin with nothing`,
      )
      expect(fingerprint(file())).toBe(before)
    },
  )

  test('a directory in its place → refused', () => {
    mkdirSync(file())

    expect(refusal()).toMatch(/waybill\.db cannot be opened \(.*\): /)
  })

  test('of a later release → refused and unchanged', async () => {
    await open().close()
    const db = new Database(file())
    db.pragma(`user_version = ${MIGRATIONS.length + 1}`)
    db.close()

    expect(refusal()).toBe(
      `${file()} was written by a later release of waybill: install that one, or restore a backup`,
    )
    expect(userVersion()).toBe(MIGRATIONS.length + 1)
  })

  test('refused, then removed → the next try works', () => {
    writeFileSync(file(), 'a shopping list, longer than a header of a database would be.\n'.repeat(20))
    refusal()
    rmSync(file())
    open()

    expect(existsSync(file())).toBe(true)
  })
})

describe('migrations', () => {
  test('the database is opened twice → each runs once, the messages stay', async () => {
    const first = open()
    const { id } = await first.messages.enqueue(message(), { messages: 10, bytes: 0 })
    await first.close()
    expect(userVersion()).toBe(MIGRATIONS.length)

    expect(await open().messages.status(id)).toBe('NOT_DELIVERED')
    expect(userVersion()).toBe(MIGRATIONS.length)
  })

  test('one fails → it is undone, the later ones do not run', () => {
    open().close()
    const db = new Database(join(directory, DATABASE_FILE))
    const steps = [...MIGRATIONS, 'CREATE TABLE one (a); CREATE TABLE clients (a)', 'CREATE TABLE two (a)']
    expect(() => migrate(db, steps)).toThrow('table clients already exists')
    db.close()

    expect(userVersion()).toBe(MIGRATIONS.length)
    expect(tables()).not.toContain('one')
    expect(tables()).not.toContain('two')
  })

  test('the first start was killed → the half database is replaced', async () => {
    mkdirSync(directory, { mode: 0o700 })
    writeFileSync(join(directory, `${DATABASE_FILE}.new`), 'half of it')
    const { id } = await open().messages.enqueue(message(), { messages: 10, bytes: 0 })

    expect(id).toBe(1)
    expect(readdirSync(directory)).not.toContain(`${DATABASE_FILE}.new`)
  })
})

function read<T>(use: (db: Database.Database) => T): T {
  const db = new Database(join(directory, DATABASE_FILE), { readonly: true })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

const userVersion = (): unknown => read((db) => db.pragma('user_version', { simple: true }))
const tables = (): unknown[] =>
  read((db) => db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all())
