/** Group commit over a real database: the contents of one transaction, and the promises to its callers. */
import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { CHECKPOINT_PAGES } from '../../src/store/sqlite/database/wal-sync.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { openWriter, type WriterUnderTest } from '../_support/writer.ts'

let { path, other, writer, failures, lines, add, seenByOthers } = {} as WriterUnderTest

beforeEach(() => {
  ;({ path, other, writer, failures, lines, add, seenByOthers } = openWriter())
})

/** Returns the number of commits as SQLite counts them. */
const commits = (): number => other.pragma('data_version', { simple: true }) as number

describe('a write', () => {
  test('its promise resolved → other connections see it', async () => {
    await writer.write(add('a'))

    expect(seenByOthers()).toEqual(['a'])
  })

  test('a task that reads → it sees the earlier writes of the same commit, and its result arrives', async () => {
    const count = writer.prepare<[], number>('SELECT count(*) FROM notes').pluck()
    const written = ['a', 'b', 'c'].map((text) => writer.write(add(text)))

    expect(await writer.write(() => count.get())).toBe(3)
    await Promise.all(written)
  })

  test('3,000 calls → stored in their order', async () => {
    const texts = Array.from({ length: 3000 }, (_, n) => String(n))
    await Promise.all(texts.map((text) => writer.write(add(text))))

    expect(seenByOthers()).toEqual(texts)
  })

  test('others arrive in the same turn of the event loop → one commit for all', async () => {
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
  test('a write is not durable yet → the read is answered after it', async () => {
    const heard: string[] = []
    const write = writer.write(add('a')).then(() => heard.push('written'))
    await new Promise(setImmediate)
    const read = writer.readSynced(seenByOthers).then((texts) => heard.push(`read ${texts}`))
    await Promise.all([write, read])

    expect(heard).toEqual(['written', 'read a'])
  })
})

describe('write-ahead log', () => {
  const fill = async (megabytes: number): Promise<void> => {
    for (let n = 0; n < megabytes; n++) await writer.write(add(randomBytes(500_000).toString('hex')))
  }
  const logBytes = (): number => statSync(`${path}-wal`).size

  test('it has half the pages of a checkpoint → the thread of the checkpoints runs, and not before', async () => {
    const threads = (): number => readdirSync('/proc/self/task').length
    // The first asynchronous call starts the threads of libuv.
    await stat(path)
    const before = threads()
    await fill(2)
    expect(threads()).toBe(before)
    await fill(4)
    expect(logBytes()).toBeLessThan(CHECKPOINT_PAGES * 4_096)
    expect(threads()).toBe(before + 1)
  })
})

describe('a task that fails', () => {
  test('beside two others → it changes nothing, the others are stored in one commit', async () => {
    const before = commits()
    const results = await Promise.allSettled([
      writer.write(add('a')),
      writer.write(() => [add('half')(), add('a')()]),
      writer.write(add('c')),
    ])

    expect(results).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }) },
      { status: 'fulfilled', value: 1 },
    ])
    expect(seenByOthers()).toEqual(['a', 'c'])
    expect(commits()).toBe(before + 1)
    expect(failures).toEqual([])
  })
})

describe('a full database', () => {
  test('a write → storage-full; room again → stored', async () => {
    const limit = writer.prepare('PRAGMA max_page_count = 4')
    const room = writer.prepare('PRAGMA max_page_count = 1000')
    await writer.write(() => limit.run())

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
    await writer.write(() => room.run())
    await writer.write(add('resumed'))
    expect(seenByOthers()).toEqual(['resumed'])
    expect(failures).toEqual([])
  })
})

describe('a database that another program holds', () => {
  test('a write → storage-busy; released → stored', async () => {
    other.exec('BEGIN IMMEDIATE')

    await expect(writer.write(add('a'))).rejects.toMatchObject({ code: 'storage-busy' })
    expect(writer.state).toBe('idle')
    other.exec('ROLLBACK')
    await writer.write(add('b'))

    expect(seenByOthers()).toEqual(['b'])
    expect(failures).toEqual([])
  })

  test('three writes are refused, then one is stored → one error line, one info line', async () => {
    other.exec('BEGIN IMMEDIATE')
    await Promise.allSettled([writer.write(add('a')), writer.write(add('b'))])
    await expect(writer.write(add('c'))).rejects.toMatchObject({ code: 'storage-busy' })
    other.exec('ROLLBACK')
    await writer.write(add('d'))
    await writer.write(add('e'))
    expect(lines).toEqual([
      ['error', { code: 'storage-busy' }],
      ['info', { code: 'storage-busy', seconds: 0, refused: 3 }],
    ])
  })
})

describe('close', () => {
  test('2,500 writes are pending → committed; later ones are refused', async () => {
    const texts = Array.from({ length: 2500 }, (_, n) => String(n))
    const pending = texts.map((text) => writer.write(add(text)))
    const closed = writer.close()

    await expect(writer.write(add('too late'))).rejects.toMatchObject({ code: 'storage-closed' })
    await Promise.all(pending)
    await closed
    expect(seenByOthers()).toEqual(texts)
    expect(failures).toEqual([])
  })

  test('of the whole store → the pending write is committed, later ones are refused', async () => {
    const store = new TemporaryStore()
    const { messages } = store
    const pending = messages.enqueue(message(), { messages: 10, bytes: 0 })
    const closed = store.close()

    await expect(messages.enqueue(message(), { messages: 10, bytes: 0 })).rejects.toMatchObject({
      code: 'storage-closed',
    })
    await closed
    expect(store.rows('SELECT id FROM messages')).toEqual([{ id: (await pending).id }])
  })
})

describe('connection', () => {
  test('opened → it uses the write-ahead log and syncs it at every commit', () => {
    const FULL = 2

    expect(other.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(other.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(other.pragma('foreign_keys', { simple: true })).toBe(1)
  })
})
