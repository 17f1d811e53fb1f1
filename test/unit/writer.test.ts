/** Group commit over a real database: the contents of one transaction, and the promises to its callers. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { StorageConditions } from '../../src/broker/storage-conditions.ts'
import { connect } from '../../src/store/sqlite/connection.ts'
import type { Failure } from '../../src/store/sqlite/faults.ts'
import type { WriteBatch } from '../../src/store/sqlite/transactions.ts'
import { CHECKPOINT_PAGES, WalSync } from '../../src/store/sqlite/wal-sync.ts'
import { Writer } from '../../src/store/sqlite/writer.ts'
import { temporaryDirectory, whenDone } from '../_support/cleanup.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'

let path: string
/** A connection of another program. It sees only committed rows. */
let other: Database.Database
/** The connection of the writer. */
let db: Database.Database
let writer: Writer
let failures: Error[]
let lines: [level: string, fields: object][]
let add: (text: string) => WriteBatch

beforeEach(() => {
  path = join(temporaryDirectory(), 'test.db')
  other = connect(path)
  whenDone(() => void other.close())
  other.exec('CREATE TABLE notes (text TEXT UNIQUE) STRICT')
  failures = []
  lines = []
  const write = (level: string) => (fields: object) => void lines.push([level, fields])
  const log = { info: write('info'), error: write('error') }
  db = connect(path)
  const conditions = new StorageConditions({ log, clock: { monotonicMs: () => 0 } })
  writer = new Writer(db, (error) => failures.push(error), { observer: conditions })
  whenDone(async () => {
    await writer.close()
    db.close()
  })
  const insert = writer.prepare('INSERT INTO notes VALUES (?)')
  add = (text) => [[insert, text]]
})

const seenByOthers = (): string[] =>
  other.prepare<[], string>('SELECT text FROM notes ORDER BY rowid').pluck().all()

/** Returns the number of commits as SQLite counts them. */
const commits = (): number => other.pragma('data_version', { simple: true }) as number

describe('a write', () => {
  test('its promise resolved → other connections see it', async () => {
    await writer.write(add('a'))

    expect(seenByOthers()).toEqual(['a'])
  })

  test('several operations → the number of rows that each changed', async () => {
    const remove = writer.prepare('DELETE FROM notes WHERE text > ?')
    await Promise.all(['a', 'b', 'c'].map((text) => writer.write(add(text))))

    expect(await writer.write([[remove, 'a'], ...add('d'), [remove, 'z']])).toEqual([2, 1, 0])
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

  test('60 MB are written → checkpoints keep it small', async () => {
    await fill(60)

    expect(logBytes()).toBeLessThan(2 * CHECKPOINT_PAGES * 4_096)
    expect(statSync(path).size).toBeGreaterThan(40_000_000)
    expect(seenByOthers()).toHaveLength(60)
  })

  test('another program reads → it grows only meanwhile', async () => {
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

describe('a batch that fails', () => {
  test('beside two others → it changes nothing, the others are stored in one commit', async () => {
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
  test('a write → storage-full; room again → stored', async () => {
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

describe('a checkpoint that cannot open the database', () => {
  test('300 writes are pending → all are stored; it can be opened again → a later checkpoint', async () => {
    // The next attempt to open the database finds a directory.
    renameSync(path, `${path}.moved`)
    mkdirSync(path)
    const large = 'x'.repeat(2 * CHECKPOINT_PAGES * 4_096)
    await writer.write(add(large))
    await Promise.all(Array.from({ length: 300 }, (_, n) => writer.write(add(String(n)))))
    expect(seenByOthers()).toHaveLength(301)
    expect(statSync(`${path}.moved`).size).toBeLessThan(large.length)

    rmdirSync(path)
    renameSync(`${path}.moved`, path)
    await writer.write(add(`${large}y`))
    await writer.write(add('last'))
    expect(statSync(path).size).toBeGreaterThan(large.length)
    expect(failures).toEqual([])
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

describe('state', () => {
  type Done = (failure: Failure | null) => void
  type Name = Writer['state']

  const IO_ERROR = { code: 'SQLITE_IOERR_READ', message: 'disk I/O error' }
  const oneTurn = (): Promise<void> => new Promise(setImmediate)
  const longerThanALockPause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30))
  const codeOf = (result: Promise<unknown>): Promise<string> =>
    result.then(
      () => 'stored',
      ({ code }) => code,
    )

  /** Callbacks of the syncs and checkpoints that wait for the test to end them. */
  let syncs: Done[]
  let checkpoints: Done[]
  let walCloses: number
  /** The result of each write of the test: `stored`, or the code of its error. */
  let results: Promise<readonly [text: string, result: string]>[]

  beforeEach(() => {
    syncs = []
    checkpoints = []
    walCloses = 0
    results = []
  })

  /** Lets the test end each sync and each checkpoint. @param needsCheckpoint answer of the log after each sync */
  function holdWal(needsCheckpoint = false): void {
    const close = WalSync.prototype.close
    vi.spyOn(WalSync.prototype, 'sync').mockImplementation((done) => void syncs.push(done))
    vi.spyOn(WalSync.prototype, 'checkpoint').mockImplementation((done) => void checkpoints.push(done))
    vi.spyOn(WalSync.prototype, 'needsCheckpoint', 'get').mockReturnValue(needsCheckpoint)
    vi.spyOn(WalSync.prototype, 'close').mockImplementation(function (this: WalSync) {
      walCloses++
      return close.call(this)
    })
    onTestFinished(() => {
      vi.restoreAllMocks()
      endWal()
    })
  }

  function endWal(failure: Failure | null = null): void {
    while (syncs.length + checkpoints.length > 0) {
      for (const done of syncs.splice(0)) done(failure)
      for (const done of checkpoints.splice(0)) done(failure)
    }
  }

  const write = (text: string, batch = add(text)): void =>
    void results.push(codeOf(writer.write(batch)).then((result) => [text, result]))
  const failRead = (): void =>
    expect(() =>
      writer.read(() => {
        throw Object.assign(new Error(IO_ERROR.message), IO_ERROR)
      }),
    ).toThrow(expect.objectContaining({ code: 'storage-failed' }))

  /** Brings a new writer into a state. In four of the states, the write of the text `first` is under way. */
  const ENTER: Record<Exclude<Name, 'committing'>, () => Promise<void> | void> = {
    idle: () => holdWal(),
    scheduled() {
      holdWal()
      write('first')
    },
    async syncing() {
      holdWal()
      write('first')
      await oneTurn()
    },
    async checkpointing() {
      holdWal(true)
      write('first')
      await oneTurn()
      syncs.shift()?.(null)
    },
    async 'lock-retry'() {
      holdWal()
      other.exec('BEGIN IMMEDIATE')
      onTestFinished(() => void (other.inTransaction && other.exec('ROLLBACK')))
      write('first')
      await oneTurn()
    },
    failed() {
      holdWal()
      failRead()
    },
    closed() {
      holdWal()
      void writer.close()
    },
  }

  interface Reaction {
    /** The state just after the event. */
    readonly then: Name
    /** The state after all that was under way has ended. */
    readonly finally: Name
    /** Results of the write that was under way and of the write that the test makes. */
    readonly results: readonly string[]
    readonly reports: number
  }
  const reaction = (then: Name, last: Name, results: readonly string[], reports = 0): Reaction => ({
    then,
    finally: last,
    results,
    reports,
  })
  const [OK, LOST, LATE] = ['stored', 'storage-failed', 'storage-closed']

  async function resultsOf(): Promise<string[]> {
    const all = await Promise.all(results)
    const stored = all.filter(([, result]) => result === OK).map(([text]) => text)
    expect(seenByOthers()).toEqual(expect.arrayContaining(stored))
    return all.map(([, result]) => result)
  }

  /** Ends all syncs, checkpoints and locks. @returns the reaction as a whole */
  async function observed(then: Name): Promise<Reaction> {
    if (other.inTransaction) other.exec('ROLLBACK')
    await vi.waitFor(() => {
      endWal()
      expect(writer.state).toMatch(/^(idle|failed|closed)$/)
    })
    return reaction(then, writer.state, await resultsOf(), failures.length)
  }

  test.each<[Exclude<Name, 'committing'>, Reaction]>([
    ['idle', reaction('scheduled', 'idle', [OK])],
    ['scheduled', reaction('scheduled', 'idle', [OK, OK])],
    ['syncing', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', reaction('checkpointing', 'idle', [OK, OK])],
    ['lock-retry', reaction('lock-retry', 'idle', [OK, OK])],
    ['failed', reaction('failed', 'failed', [LOST], 1)],
    ['closed', reaction('closed', 'closed', [LATE])],
  ])('%s: a write → %o', async (name, expected) => {
    await ENTER[name]()
    expect(writer.state).toBe(name)
    expect(writer.isIdle).toBe(name === 'idle')
    write('second')

    expect(await observed(writer.state)).toEqual(expected)
  })

  test.each<[Exclude<Name, 'committing'>, Reaction]>([
    ['idle', reaction('closed', 'closed', [LATE])],
    ['scheduled', reaction('syncing', 'closed', [OK, LATE])],
    ['syncing', reaction('syncing', 'closed', [OK, LATE])],
    ['checkpointing', reaction('checkpointing', 'closed', [OK, LATE])],
    ['lock-retry', reaction('lock-retry', 'closed', [OK, LATE])],
    ['failed', reaction('closed', 'closed', [LOST], 1)],
    ['closed', reaction('closed', 'closed', [LATE])],
  ])('%s: close, then a write → %o', async (name, expected) => {
    await ENTER[name]()
    const closed = writer.close()
    const then = writer.state
    write('second')

    expect(await observed(then)).toEqual(expected)
    await Promise.all([closed, writer.close()])
    expect(walCloses).toBe(1)
  })

  test.each<[Exclude<Name, 'committing'>, Reaction]>([
    ['idle', reaction('failed', 'failed', [LOST], 1)],
    ['scheduled', reaction('failed', 'failed', [LOST, LOST], 1)],
    ['syncing', reaction('failed', 'failed', [LOST, LOST], 1)],
    ['checkpointing', reaction('failed', 'failed', [OK, LOST], 1)],
    ['lock-retry', reaction('failed', 'failed', [LOST, LOST], 1)],
    ['failed', reaction('failed', 'failed', [LOST], 1)],
    ['closed', reaction('closed', 'closed', [LOST], 1)],
  ])('%s: a read that fails, then a write → %o', async (name, expected) => {
    await ENTER[name]()
    failRead()
    const then = writer.state
    write('second')

    expect(await observed(then)).toEqual(expected)
    await longerThanALockPause()
    expect(writer.state).toBe(expected.finally)
  })

  test.each(['syncing', 'checkpointing'] as const)(
    '%s: a read fails → close waits for the end of the file access',
    async (name) => {
      await ENTER[name]()
      failRead()
      const closed = writer.close()
      expect([writer.state, walCloses]).toEqual(['failed', 0])
      endWal()

      expect([writer.state, walCloses]).toEqual(['closed', 1])
      await closed
    },
  )

  test('lock-retry: closing, then a read fails → closed at once', async () => {
    await ENTER['lock-retry']()
    const closed = writer.close()
    failRead()

    expect(writer.state).toBe('closed')
    await closed
    expect(await resultsOf()).toEqual([LOST])
    expect(failures).toHaveLength(1)
  })

  test('closing: a sync, a checkpoint and a lock → each refuses new writes, none loses a pending one', async () => {
    holdWal(true)
    write('first')
    await oneTurn()
    write('second')
    const closed = writer.close()
    const states: Name[] = []
    const note = (): void => {
      states.push(writer.state)
      write('late')
    }
    note()
    syncs.shift()?.(null)
    note()
    other.exec('BEGIN IMMEDIATE')
    checkpoints.shift()?.(null)
    note()
    await longerThanALockPause()
    note()
    other.exec('ROLLBACK')
    await vi.waitFor(() => expect(writer.state).toBe('syncing'))
    note()
    endWal()
    await closed
    note()

    expect(states).toEqual(['syncing', 'checkpointing', 'lock-retry', 'lock-retry', 'syncing', 'closed'])
    expect(await resultsOf()).toEqual([OK, OK, ...states.map(() => LATE)])
  })

  test.each<['syncing' | 'checkpointing', string, Reaction]>([
    ['syncing', 'EIO', reaction('failed', 'failed', [LOST, LOST], 1)],
    ['syncing', 'SQLITE_FULL', reaction('failed', 'failed', [LOST, LOST], 1)],
    ['checkpointing', 'SQLITE_IOERR_FSYNC', reaction('failed', 'failed', [OK, LOST], 1)],
    ['checkpointing', 'SQLITE_CORRUPT', reaction('failed', 'failed', [OK, LOST], 1)],
    ['checkpointing', 'SQLITE_NOTADB', reaction('failed', 'failed', [OK, LOST], 1)],
    ['checkpointing', 'SQLITE_CANTOPEN', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', 'SQLITE_NOMEM', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', 'EMFILE', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', 'EAGAIN', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', 'ERR_WORKER_INIT_FAILED', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', 'SQLITE_FULL', reaction('syncing', 'idle', [OK, OK])],
    ['checkpointing', 'SQLITE_BUSY', reaction('syncing', 'idle', [OK, OK])],
  ])('%s: it ends with %s while a write is pending → %o', async (name, code, expected) => {
    await ENTER[name]()
    write('second')
    const [done] = [...syncs.splice(0), ...checkpoints.splice(0)]
    done?.({ code, message: 'not done' })

    expect(await observed(writer.state)).toEqual(expected)
  })

  describe('committing', () => {
    /** Returns a batch that calls a function during its commit. */
    function calling(during: () => void): WriteBatch {
      db.function('during', () => {
        during()
        return null
      })
      return [[writer.prepare(`INSERT INTO notes SELECT 'first' WHERE during() IS NULL`)]]
    }

    test('a write, then close → the write is stored before the writer is closed', async () => {
      const states: Name[] = []
      write(
        'first',
        calling(() => {
          states.push(writer.state)
          write('second')
          void writer.close()
          write('third')
        }),
      )
      await results[0]
      await writer.close()

      expect(states).toEqual(['committing'])
      expect(await resultsOf()).toEqual([OK, OK, LATE])
    })

    test('close, and nothing is stored → closed', async () => {
      write(
        'first',
        calling(() => {
          void writer.close()
          throw new Error('not done')
        }),
      )
      await results[0]

      expect(writer.state).toBe('closed')
    })

    test.each<[code: string, Reaction]>([
      ['SQLITE_CONSTRAINT_UNIQUE', reaction('idle', 'idle', ['SQLITE_CONSTRAINT_UNIQUE'])],
      ['SQLITE_FULL', reaction('idle', 'idle', ['storage-full'])],
      ['SQLITE_BUSY', reaction('lock-retry', 'idle', [OK])],
      ['SQLITE_CORRUPT', reaction('failed', 'failed', [LOST], 1)],
      ['SQLITE_IOERR_WRITE', reaction('failed', 'failed', [LOST], 1)],
    ])('it ends with %s → %o', async (code, expected) => {
      holdWal()
      let attempts = 0
      const batch = calling(() => {
        if (attempts++ === 0) throw Object.assign(new Error('not done'), { code })
      })
      write('first', batch)
      await oneTurn()

      expect(await observed(writer.state)).toEqual(expected)
    })
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
