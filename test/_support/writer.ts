/** Writer over a real database, with a second connection for another program. */
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { StorageConditions } from '../../src/broker/engine/storage-conditions.ts'
import { connect } from '../../src/store/sqlite/database/connection.ts'
import type { Task } from '../../src/store/sqlite/database/transactions.ts'
import { Writer } from '../../src/store/sqlite/database/writer.ts'
import { temporaryDirectory, whenDone } from './cleanup.ts'

export interface WriterUnderTest {
  /** Path of the database, which has the table `notes`. */
  readonly path: string
  /** Connection of another program. It sees only committed rows. */
  readonly other: Database.Database
  readonly writer: Writer
  readonly failures: Error[]
  readonly lines: [level: string, fields: object][]
  /** Returns the task that adds a note, with the number of added rows as its result. */
  readonly add: (text: string) => Task<number>
  /** Returns the committed notes. */
  readonly seenByOthers: () => string[]
}

/** Opens a new database and a writer for it, until the end of the test. */
export function openWriter(): WriterUnderTest {
  const path = join(temporaryDirectory(), 'test.db')
  const other = connect(path)
  whenDone(() => void other.close())
  other.exec('CREATE TABLE notes (text TEXT UNIQUE) STRICT')
  const failures: Error[] = []
  const lines: [level: string, fields: object][] = []
  const write = (level: string) => (fields: object) => void lines.push([level, fields])
  const log = { info: write('info'), error: write('error') }
  const db = connect(path)
  const conditions = new StorageConditions({ log, clock: { monotonicMs: () => 0 } })
  const writer = new Writer(db, (error) => failures.push(error), { observer: conditions })
  whenDone(async () => {
    await writer.close()
    db.close()
  })
  const insert = writer.prepare('INSERT INTO notes VALUES (?)')
  return {
    ...{ path, other, writer, failures, lines },
    add: (text) => () => insert.run(text).changes,
    seenByOthers: () => other.prepare<[], string>('SELECT text FROM notes ORDER BY rowid').pluck().all(),
  }
}
