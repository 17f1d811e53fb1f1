/** Opens the database in a data directory: settings, migrations, the storage contracts. */
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import type { ClientStore } from '../../auth/clients.ts'
import type { MessageArchive } from '../../broker/archive.ts'
import type { DeviceStore } from '../../broker/devices.ts'
import type { MessageStore } from '../../broker/store.ts'
import type { TemplateStore } from '../../broker/templates.ts'
import { StartError } from '../../start-error.ts'
import { SqliteArchive } from './archive.ts'
import { SqliteClients } from './clients.ts'
import { connect } from './connection.ts'
import { damaged, isDamage } from './damage.ts'
import { SqliteDevices } from './devices.ts'
import { DATABASE_FILE, holdDirectory } from './directory.ts'
import { ensureDatabase } from './ensure.ts'
import { MessageIndex } from './message-index.ts'
import { SqliteMessages } from './messages.ts'
import { migrate } from './migrations.ts'
import { Polls } from './polls.ts'
import { Queues } from './queues.ts'
import { SqliteTemplates } from './templates.ts'
import { Writer } from './writer.ts'

export interface Storage {
  readonly messages: MessageStore
  readonly archive: MessageArchive
  readonly clients: ClientStore
  readonly devices: DeviceStore
  readonly templates: TemplateStore
  /** Commits what is pending, then closes. */
  close(): Promise<void>
}

/**
 * @param directory made if it is not there; held until `close`
 * @param onFailure told once, when the disk failed and nothing is written any more
 * @throws {StartError}
 */
export function openStorage(directory: string, onFailure: (error: Error) => void): Storage {
  const release = holdDirectory(directory)
  const path = join(directory, DATABASE_FILE)
  let db: Database.Database | undefined
  let writer: Writer | undefined
  let index: MessageIndex | undefined
  try {
    ensureDatabase(path)
    db = connect(path)
    migrate(db)
    writer = new Writer(db, onFailure)
    const polls = new Polls(writer)
    const queues = new Queues()
    const messages = new SqliteMessages(db, writer, queues, polls)
    index = new MessageIndex(db, writer, () => messages.newest)
    const opened = { db, writer, index }
    return {
      messages,
      archive: new SqliteArchive(db, writer, index, polls),
      clients: new SqliteClients(db, writer),
      devices: new SqliteDevices(db, writer, queues, index),
      templates: new SqliteTemplates(db, writer),
      async close() {
        // All begin at once: nothing is taken from now on.
        await Promise.all([polls.close(), opened.index.close(), opened.writer.close()])
        opened.db.close()
        release()
      },
    }
  } catch (error) {
    void index?.close()
    void writer?.close()
    db?.close()
    release()
    throw toStartError(error, path)
  }
}

function toStartError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown }).code
  // SQLite's errors and the operating system's have a code; any other is our own.
  if (typeof code !== 'string') return error
  const { message } = error as Error
  if (isDamage(error)) return damaged(path, message, error)
  return new StartError(`${path} cannot be opened (${message}): free some space or check the disk`, error)
}
