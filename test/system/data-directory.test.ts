/** The data directory: private, held by one process at a time, and refused with a cure when it cannot be used. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { StartError } from '../../src/process/start-error.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/directory.ts'
import { MIGRATIONS, migrate } from '../../src/store/sqlite/migrations.ts'
import type { Storage } from '../../src/store/storage.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { runCommand, startServer } from '../_support/server.ts'
import { openIn } from '../_support/store.ts'

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

/** The text of the StartError that opening ends with. */
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

describe('a new directory', () => {
  test('and all files in it are for the owner only, also while the database is open', async () => {
    const mask = process.umask(0)
    whenDone(() => process.umask(mask))
    const { messages } = open(join(directory, 'deep', 'down'))
    directory = join(directory, 'deep', 'down')
    await messages.enqueue(message(), 10)

    expect(mode(directory)).toBe('700')
    expect(modes()).toEqual({
      'waybill.db': '600',
      'waybill.db-shm': '600',
      'waybill.db-wal': '600',
      'waybill.lock': '600',
    })
  })

  test('of a server holds a secret for the owner only', async () => {
    await startServer({ dataDir: directory })

    expect(mode(directory)).toBe('700')
    expect(modes()['jwt-secret']).toBe('600')
    expect(new Set(Object.values(modes()))).toEqual(new Set(['600']))
  })
})

describe('a directory that is open to other users', () => {
  test('is tightened when it is empty', () => {
    mkdirSync(directory)
    chmodSync(directory, 0o777)
    open()

    expect(mode(directory)).toBe('700')
  })

  test('is tightened when it is a data directory already', async () => {
    await open().close()
    chmodSync(directory, 0o755)
    chmodSync(join(directory, DATABASE_FILE), 0o644)
    open()

    expect(mode(directory)).toBe('700')
    expect(modes()[DATABASE_FILE]).toBe('600')
  })

  test('is refused, and left as it is, when it holds something else', () => {
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

describe('a directory that is held', () => {
  const inUse = () =>
    `data directory ${directory} is in use by another waybill: stop it, or name another --data-dir`

  test('is refused to a second one at once, and free after the first one closed', async () => {
    const first = open()

    expect(refusal()).toBe(inUse())
    await first.close()
    open()
  })

  test('is refused to a second process, which ends with the reason', async () => {
    open()
    const second = await runCommand({ args: SERVE, dataDir: directory })

    expect(second).toMatchObject({ code: 1, stderr: `waybill: ${inUse()}\n` })
  })

  test('stays held after another one in the same process was refused', async () => {
    open()
    refusal()
    const second = await runCommand({ args: SERVE, dataDir: directory })

    expect(second).toMatchObject({ code: 1, stderr: `waybill: ${inUse()}\n` })
  })

  test('is refused while a server runs, and free at once after that was killed', async () => {
    const server = await startServer({ dataDir: directory })

    expect(refusal()).toBe(inUse())
    await server.kill('SIGKILL')
    open()
  })

  test('goes on working after another one was refused', async () => {
    const { messages } = open()
    refusal()
    const { id } = await messages.enqueue(message(), 10)

    expect(await messages.status(id)).toBe('NOT_DELIVERED')
  })
})

describe('a path that cannot be used', () => {
  const cure = /^data directory .* cannot be used \(.*\): name a writable one with --data-dir$/

  test('because it is a file', () => {
    writeFileSync(directory, '')

    expect(refusal()).toMatch(cure)
  })

  test('because it is below a file', () => {
    writeFileSync(directory, '')

    expect(refusal(join(directory, 'below'))).toMatch(cure)
  })

  test('because nothing can be made there', () => {
    expect(refusal('/sys/waybill-data')).toMatch(cure)
  })

  test('because a directory is where the lock goes', () => {
    mkdirSync(join(directory, 'waybill.lock'), { recursive: true, mode: 0o700 })

    expect(refusal()).toMatch(cure)
  })

  test('because its lock is no lock', () => {
    mkdirSync(directory, { mode: 0o700 })
    writeFileSync(join(directory, 'waybill.lock'), 'a shopping list, long enough for a header.\n'.repeat(20))

    expect(refusal()).toMatch(cure)
  })

  test('is what a server ends with, in one line', async () => {
    writeFileSync(directory, '')
    const { code, stderr } = await runCommand({ args: SERVE, dataDir: directory })

    expect(code).toBe(1)
    expect(stderr).toMatch(/^waybill: data directory .* cannot be used .*\n$/)
  })
})

describe('a database that cannot be used', () => {
  const file = (): string => join(directory, DATABASE_FILE)
  const damaged = (reason: string): string =>
    `${file()} is damaged (${reason}): "waybill db check" tells more, "waybill db restore FILE" puts a backup in its place`
  beforeEach(() => mkdirSync(directory, { mode: 0o700 }))

  test('because it is none', () => {
    writeFileSync(file(), 'a shopping list, longer than a header of a database would be.\n'.repeat(20))

    expect(refusal()).toBe(damaged('file is not a database'))
  })

  test('because it is damaged', async () => {
    await open().close()
    const db = new Database(file())
    db.unsafeMode()
    db.pragma('writable_schema = ON')
    db.exec(`UPDATE sqlite_schema SET sql = 'CREATE TABLE clients (' WHERE name = 'clients'`)
    db.close()

    expect(refusal()).toBe(damaged('malformed database schema (clients) - incomplete input'))
  })

  test('because it is of another program; it is left as it is', () => {
    const db = new Database(file())
    db.exec('CREATE TABLE clients (mine TEXT)')
    db.close()

    expect(refusal()).toBe(damaged('it is no database of waybill'))
    expect(tables()).toEqual(['clients'])
  })

  test('because a directory is in its place', () => {
    mkdirSync(file())

    expect(refusal()).toMatch(/waybill\.db cannot be opened \(.*\): /)
  })

  test('because a later release wrote it; it is left as it is', async () => {
    await open().close()
    const db = new Database(file())
    db.pragma(`user_version = ${MIGRATIONS.length + 1}`)
    db.close()

    expect(refusal()).toBe(
      `${file()} was written by a later release of waybill: install that one, or restore a backup`,
    )
    expect(userVersion()).toBe(MIGRATIONS.length + 1)
  })

  test('leaves the directory free for another try', () => {
    writeFileSync(file(), 'a shopping list, longer than a header of a database would be.\n'.repeat(20))
    refusal()
    rmSync(file())
    open()

    expect(existsSync(file())).toBe(true)
  })
})

describe('migrations', () => {
  test('run once each, and keep what is there', async () => {
    const first = open()
    const { id } = await first.messages.enqueue(message(), 10)
    await first.close()
    expect(userVersion()).toBe(MIGRATIONS.length)

    expect(await open().messages.status(id)).toBe('NOT_DELIVERED')
    expect(userVersion()).toBe(MIGRATIONS.length)
  })

  test('stop where one fails: its own changes are undone', () => {
    open().close()
    const db = new Database(join(directory, DATABASE_FILE))
    const steps = [...MIGRATIONS, 'CREATE TABLE one (a); CREATE TABLE clients (a)', 'CREATE TABLE two (a)']
    expect(() => migrate(db, steps)).toThrow('table clients already exists')
    db.close()

    expect(userVersion()).toBe(MIGRATIONS.length)
    expect(tables()).not.toContain('one')
    expect(tables()).not.toContain('two')
  })

  test('of a new database are whole or not begun: what a killed start left is no database', async () => {
    mkdirSync(directory, { mode: 0o700 })
    writeFileSync(join(directory, `${DATABASE_FILE}.new`), 'half of it')
    const { id } = await open().messages.enqueue(message(), 10)

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
