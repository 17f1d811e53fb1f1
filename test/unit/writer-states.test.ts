/** The states of the writer: what a write, a close and a failure do in each of them. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Failure } from '../../src/store/sqlite/database/faults.ts'
import type { Task } from '../../src/store/sqlite/database/transactions.ts'
import { WalSync } from '../../src/store/sqlite/database/wal-sync.ts'
import type { Writer } from '../../src/store/sqlite/database/writer.ts'
import { openWriter, type WriterUnderTest } from '../_support/writer.ts'

let { other, writer, failures, add, seenByOthers } = {} as WriterUnderTest

beforeEach(() => {
  ;({ other, writer, failures, add, seenByOthers } = openWriter())
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

  /** Lets the test end each sync and each checkpoint. @param isCheckpointDue answer of the log after each sync */
  function holdWal(isCheckpointDue = false): void {
    const close = WalSync.prototype.close
    vi.spyOn(WalSync.prototype, 'sync').mockImplementation((done) => void syncs.push(done))
    vi.spyOn(WalSync.prototype, 'checkpoint').mockImplementation((done) => void checkpoints.push(done))
    vi.spyOn(WalSync.prototype, 'isCheckpointDue').mockReturnValue(isCheckpointDue)
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

  const write = (text: string, task = add(text)): void =>
    void results.push(codeOf(writer.write(task)).then((result) => [text, result]))
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

  test('syncing: a client writes again after its answer → the commit of the writes that waited has its write too', async () => {
    await ENTER.syncing()
    write('second')
    endWal()
    expect(writer.state).toBe('scheduled')
    await results[0]
    write('third')
    while (writer.state === 'scheduled') await oneTurn()

    expect(writer.state).toBe('syncing')
    expect(seenByOthers()).toEqual(['first', 'second', 'third'])
  })

  test('syncing: each turn brings a write → the commit waits for a few turns only', async () => {
    await ENTER.syncing()
    write('second')
    endWal()
    let turns = 0
    for (; writer.state === 'scheduled' && turns < 10; turns++) {
      write(`turn ${turns}`)
      await oneTurn()
    }

    expect(turns).toBeLessThan(10)
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
    /** Returns a task that calls a function during its commit. */
    function calling(during: () => void): Task<number> {
      const insert = add('first')
      return () => {
        during()
        return insert()
      }
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
      const task = calling(() => {
        if (attempts++ === 0) throw Object.assign(new Error('not done'), { code })
      })
      write('first', task)
      await oneTurn()

      expect(await observed(writer.state)).toEqual(expected)
    })
  })
})
