/** Group commit against a real database: what goes into one transaction, and what a caller may believe afterwards. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../src/store/sqlite/connection.ts'
import { CHECKPOINT_PAGES } from '../../src/store/sqlite/log.ts'
import type { Unit } from '../../src/store/sqlite/transactions.ts'
import { Writer } from '../../src/store/sqlite/writer.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

let path: string
/** A connection of another program: it sees only what is committed. */
let other: Database.Database
let writer: Writer
let failures: Error[]
let add: (text: string) => Unit

beforeEach(() => {
  path = join(temporaryDirectory(), 'test.db')
  other = connect(path)
  whenDone(() => void other.close())
  other.exec('CREATE TABLE notes (text TEXT UNIQUE) STRICT')
  failures = []
  writer = opened(path)
  const insert = writer.prepare('INSERT INTO notes VALUES (?)')
  add = (text) => [[insert, text]]
})

function opened(path: string): Writer {
  const db = connect(path)
  const writer = new Writer(db, (error) => failures.push(error))
  whenDone(async () => {
    await writer.close()
    db.close()
  })
  return writer
}

const seenByOthers = (): string[] =>
  other.prepare<[], string>('SELECT text FROM notes ORDER BY rowid').pluck().all()

/** How often the database was changed, as SQLite counts it. */
const commits = (): number => other.pragma('data_version', { simple: true }) as number

describe('a write', () => {
  test('is there for everybody when its caller hears of it', async () => {
    await writer.write(add('a'))

    expect(seenByOthers()).toEqual(['a'])
  })

  test('tells how many rows each of its steps changed', async () => {
    const remove = writer.prepare('DELETE FROM notes WHERE text > ?')
    await Promise.all(['a', 'b', 'c'].map((text) => writer.write(add(text))))

    expect(await writer.write([[remove, 'a'], ...add('d'), [remove, 'z']])).toEqual([2, 1, 0])
  })

  test('happens in the order of the calls', async () => {
    const texts = Array.from({ length: 3000 }, (_, n) => String(n))
    await Promise.all(texts.map((text) => writer.write(add(text))))

    expect(seenByOthers()).toEqual(texts)
  })

  test('shares its commit with those that arrive in the same turn of the event loop', async () => {
    const before = commits()
    other.exec('BEGIN')
    const start = seenByOthers()
    await Promise.all(['a', 'b', 'c'].map((text) => writer.write(add(text))))
    expect(seenByOthers()).toEqual(start)
    other.exec('COMMIT')

    expect(seenByOthers()).toEqual(['a', 'b', 'c'])
    expect(commits()).toBe(before + 1)
  })
})

describe('a read', () => {
  test('of what is not on disk yet is answered when that is', async () => {
    const heard: string[] = []
    const write = writer.write(add('a')).then(() => heard.push('written'))
    await new Promise(setImmediate)
    const read = writer.readSynced(seenByOthers).then((texts) => heard.push(`read ${texts}`))
    await Promise.all([write, read])

    expect(heard).toEqual(['written', 'read a'])
  })
})

describe('the write-ahead log', () => {
  const fill = async (megabytes: number): Promise<void> => {
    for (let n = 0; n < megabytes; n++) await writer.write(add(randomBytes(500_000).toString('hex')))
  }
  const logBytes = (): number => statSync(`${path}-wal`).size

  test('is brought into the database again and again, so that it stays small', async () => {
    await fill(60)

    expect(logBytes()).toBeLessThan(2 * CHECKPOINT_PAGES * 4_096)
    expect(statSync(path).size).toBeGreaterThan(40_000_000)
    expect(seenByOthers()).toHaveLength(60)
  })

  test('grows while another program reads from it, and no longer than that', async () => {
    await writer.write(add('first'))
    other.exec('BEGIN')
    seenByOthers()
    await fill(40)
    expect(logBytes()).toBeGreaterThan(2 * CHECKPOINT_PAGES * 4_096)
    other.exec('COMMIT')
    await fill(60)

    expect(logBytes()).toBeLessThan(80_000_000)
    expect(seenByOthers()).toHaveLength(101)
  })
})

describe('a unit that cannot be done', () => {
  test('does nothing, and fails alone, in one commit with the others', async () => {
    const before = commits()
    const results = await Promise.allSettled([
      writer.write(add('a')),
      writer.write([...add('half'), ...add('a')]),
      writer.write(add('c')),
    ])

    expect(results).toEqual([
      { status: 'fulfilled', value: [1] },
      { status: 'rejected', reason: expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }) },
      { status: 'fulfilled', value: [1] },
    ])
    expect(seenByOthers()).toEqual(['a', 'c'])
    expect(commits()).toBe(before + 1)
    expect(failures).toEqual([])
  })
})

describe('a full database', () => {
  test('refuses as storage-full, and takes writes again when there is room', async () => {
    const limit = writer.prepare('PRAGMA max_page_count = 4')
    const room = writer.prepare('PRAGMA max_page_count = 1000')
    await writer.write([[limit]])

    const results = await Promise.allSettled([
      writer.write(add('before')),
      writer.write(add('x'.repeat(100_000))),
      writer.write(add('after')),
    ])

    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { name: 'BrokerError', code: 'storage-full' },
      })
    }
    expect(seenByOthers()).toEqual([])
    await writer.write([[room]])
    await writer.write(add('resumed'))
    expect(seenByOthers()).toEqual(['resumed'])
    expect(failures).toEqual([])
  })
})

describe('a database that another program holds', () => {
  test('refuses as storage-busy, and takes writes again afterwards', async () => {
    other.exec('BEGIN IMMEDIATE')

    await expect(writer.write(add('a'))).rejects.toMatchObject({ code: 'storage-busy' })
    other.exec('ROLLBACK')
    await writer.write(add('b'))

    expect(seenByOthers()).toEqual(['b'])
    expect(failures).toEqual([])
  })
})

describe('a log that can be brought into the database no more', () => {
  test('stops all writes until a restart, leaves nobody waiting, and is reported once', async () => {
    // Who opens it from now on finds none.
    renameSync(path, `${path}.moved`)
    mkdirSync(path)
    await writer.write(add('x'.repeat(2 * CHECKPOINT_PAGES * 4_096)))
    const lost = Array.from({ length: 300 }, (_, n) => writer.write(add(String(n))))

    const failed = { code: 'storage-failed', cause: { message: 'unable to open database file' } }
    await Promise.all(lost.map((write) => expect(write).rejects.toMatchObject(failed)))
    await expect(writer.write(add('b'))).rejects.toMatchObject(failed)

    expect(failures).toHaveLength(1)
    expect(seenByOthers()).toHaveLength(1)
  })
})

describe('close', () => {
  test('commits what is pending, then refuses', async () => {
    const texts = Array.from({ length: 2500 }, (_, n) => String(n))
    const pending = texts.map((text) => writer.write(add(text)))
    const closed = writer.close()

    await expect(writer.write(add('too late'))).rejects.toMatchObject({ code: 'storage-closed' })
    await Promise.all(pending)
    await closed
    expect(seenByOthers()).toEqual(texts)
    expect(failures).toEqual([])
  })

  test('of the whole store does the same', async () => {
    const store = new TemporaryStore()
    const { messages } = store
    const pending = messages.enqueue(message(), 10)
    const closed = store.close()

    await expect(messages.enqueue(message(), 10)).rejects.toMatchObject({ code: 'storage-closed' })
    await closed
    expect(store.rows('SELECT id FROM messages')).toEqual([{ id: (await pending).id }])
  })
})

describe('a connection', () => {
  test('keeps a write-ahead log and, but for the writer, syncs it at every commit', () => {
    const FULL = 2

    expect(other.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(other.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(other.pragma('foreign_keys', { simple: true })).toBe(1)
  })
})
