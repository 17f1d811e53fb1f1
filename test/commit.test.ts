/** Group commit against a real database: what goes into one transaction, and what a caller may believe afterwards. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { GroupCommit } from '../src/store/sqlite/commit.ts'
import { DATABASE_FILE } from '../src/store/sqlite/directory.ts'
import { temporaryDirectory, whenDone } from './_support/cleanup.ts'
import { message, TemporaryStore } from './_support/store.ts'

let path: string
let db: Database.Database
let commit: GroupCommit
let failures: Error[]
/** What the database was told, without the savepoints. */
let told: string[]

beforeEach(() => {
  path = join(temporaryDirectory(), 'test.db')
  told = []
  failures = []
  db = new Database(path, {
    timeout: 0,
    verbose: (sql) => {
      if (!/savepoint|operation/i.test(String(sql))) told.push(String(sql))
    },
  })
  whenDone(() => db.close())
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE notes (text TEXT)')
  commit = new GroupCommit(db, (error) => failures.push(error))
  told.length = 0
})

const add = (text: string): void => void db.exec(`INSERT INTO notes VALUES ('${text}')`)

/** What a connection of another program sees: only what is committed. */
function seenByOthers(): string[] {
  const other = new Database(path, { readonly: true })
  try {
    return other.prepare<[], string>('SELECT text FROM notes ORDER BY rowid').pluck().all()
  } finally {
    other.close()
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('one transaction', () => {
  test('holds what arrives in one turn of the event loop, in its order', async () => {
    await Promise.all(['a', 'b', 'c'].map((text) => commit.write(() => add(text))))

    expect(told).toEqual([
      'BEGIN IMMEDIATE',
      `INSERT INTO notes VALUES ('a')`,
      `INSERT INTO notes VALUES ('b')`,
      `INSERT INTO notes VALUES ('c')`,
      'COMMIT',
    ])
  })

  test('does not hold what arrives in the next turn', async () => {
    const first = commit.write(() => add('a'))
    await nextTurn()
    await Promise.all([first, commit.write(() => add('b'))])

    expect(told.filter((sql) => sql === 'COMMIT')).toHaveLength(2)
    expect(seenByOthers()).toEqual(['a', 'b'])
  })

  test('holds at most a thousand operations, so that nobody waits for ever; the rest follow', async () => {
    let done = 0
    const count = (): number => ++done
    const results = await Promise.all(Array.from({ length: 2001 }, () => commit.write(count)))

    expect(told).toEqual(Array.from({ length: 3 }, () => ['BEGIN IMMEDIATE', 'COMMIT']).flat())
    expect(results).toEqual(Array.from({ length: 2001 }, (_, i) => i + 1))
  })

  test('gives each caller the result of its own operation', async () => {
    expect(
      await Promise.all([commit.write(() => 'one'), commit.write(() => null), commit.write(() => 3)]),
    ).toEqual(['one', null, 3])
  })
})

describe('a caller hears of its operation', () => {
  test('only after the commit', async () => {
    const heard = (name: string) => () => told.push(`${name} hears`)
    await Promise.all([
      commit.write(() => add('a')).then(heard('first')),
      commit
        .write(() => {
          throw new Error('no')
        })
        .catch(heard('second')),
    ])

    expect(told).toEqual([
      'BEGIN IMMEDIATE',
      `INSERT INTO notes VALUES ('a')`,
      'COMMIT',
      'first hears',
      'second hears',
    ])
  })

  test('when everybody can see it', async () => {
    let seenDuring: string[] = []
    await commit.write(() => {
      add('a')
      seenDuring = seenByOthers()
    })

    expect(seenDuring).toEqual([])
    expect(seenByOthers()).toEqual(['a'])
  })
})

describe('an operation that throws', () => {
  test('is undone and rejects alone', async () => {
    const results = await Promise.allSettled([
      commit.write(() => add('a')),
      commit.write(() => {
        add('half')
        throw new RangeError('changed my mind')
      }),
      commit.write(() => add('c')),
    ])

    expect(results).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: new RangeError('changed my mind') },
      { status: 'fulfilled', value: undefined },
    ])
    expect(seenByOthers()).toEqual(['a', 'c'])
  })

  test('keeps the error of the database when nobody foresaw it', async () => {
    const wrong = commit.write(() => db.exec('INSERT INTO no_such_table VALUES (1)'))

    await expect(wrong).rejects.toThrow('no such table')
    await commit.write(() => add('goes on'))
    expect(failures).toEqual([])
  })
})

describe('a full database', () => {
  const tooMuch = (): void => add('x'.repeat(100_000))

  test('refuses all of the transaction as storage-full, and takes writes again when there is room', async () => {
    db.pragma('max_page_count = 3')
    const results = await Promise.allSettled([
      commit.write(() => add('before')),
      commit.write(tooMuch),
      commit.write(() => add('after')),
    ])

    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { name: 'BrokerError', code: 'storage-full' },
      })
    }
    expect(seenByOthers()).toEqual([])

    db.pragma('max_page_count = 1000')
    await commit.write(() => add('resumed'))
    expect(seenByOthers()).toEqual(['resumed'])
    expect(failures).toEqual([])
  })
})

describe('a database that another program holds', () => {
  test('refuses as storage-busy, and takes writes again afterwards', async () => {
    const other = new Database(path)
    whenDone(() => other.close())
    other.exec('BEGIN IMMEDIATE')

    await expect(commit.write(() => add('a'))).rejects.toMatchObject({ code: 'storage-busy' })
    other.exec('ROLLBACK')
    await commit.write(() => add('b'))

    expect(seenByOthers()).toEqual(['b'])
    expect(failures).toEqual([])
  })
})

describe('a disk that failed', () => {
  const broken = (): never => {
    db.exec('ROLLBACK')
    throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC')
  }

  test('stops all writes until a restart, and is reported once', async () => {
    const first = [commit.write(() => add('a')), commit.write(broken)]
    const failed = { code: 'storage-failed', cause: { code: 'SQLITE_IOERR_FSYNC' } }
    await Promise.all(first.map((write) => expect(write).rejects.toMatchObject(failed)))
    await expect(commit.write(() => add('b'))).rejects.toMatchObject(failed)
    await expect(commit.write(broken)).rejects.toMatchObject(failed)

    expect(failures).toEqual([expect.objectContaining({ code: 'SQLITE_IOERR_FSYNC' })])
    expect(seenByOthers()).toEqual([])
  })

  test('refuses also what was waiting for its turn', async () => {
    const writes = Array.from({ length: 1500 }, (_, i) => commit.write(i === 10 ? broken : () => add('a')))
    const results = await Promise.allSettled(writes)

    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(told.filter((sql) => sql === 'BEGIN IMMEDIATE')).toHaveLength(1)
  })
})

describe('close', () => {
  test('commits what is pending, then refuses', async () => {
    const pending = Array.from({ length: 1500 }, (_, i) => commit.write(() => i))
    const last = commit.write(() => add('last'))
    commit.close()

    expect(seenByOthers()).toEqual(['last'])
    await expect(commit.write(() => add('too late'))).rejects.toMatchObject({ code: 'storage-closed' })
    expect(await Promise.all(pending)).toHaveLength(1500)
    await last
    await nextTurn()
    expect(seenByOthers()).toEqual(['last'])
  })

  test('of the whole store does the same', async () => {
    const store = new TemporaryStore()
    const { messages } = store
    const pending = messages.enqueue(message(), 10)
    store.close()

    await expect(messages.enqueue(message(), 10)).rejects.toMatchObject({ code: 'storage-closed' })
    expect(store.rows('SELECT id FROM messages')).toEqual([{ id: await pending }])
  })
})

describe('the connection of a store', () => {
  test('keeps a write-ahead log and syncs it at every commit', () => {
    // Only watched: "synchronous" is known to its own connection alone.
    const pragma = vi.spyOn(Database.prototype, 'pragma')
    whenDone(() => pragma.mockRestore())
    const store = new TemporaryStore()
    const connections = new Set(pragma.mock.contexts as Database.Database[])
    const [own] = [...connections].filter(({ name }) => name === join(store.directory, DATABASE_FILE))
    const FULL = 2

    expect(own?.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(own?.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(own?.pragma('foreign_keys', { simple: true })).toBe(1)
  })

  test('has the row on disk when the promise resolves', async () => {
    const store = new TemporaryStore()
    const id = await store.messages.enqueue(message(), 10)

    expect(store.rows('SELECT id FROM messages')).toEqual([{ id }])
  })
})
