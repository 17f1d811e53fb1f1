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
import { DeviceIndex } from './device-index.ts'
import { SqliteDevices } from './devices.ts'
import { DATABASE_FILE, holdDirectory } from './directory.ts'
import { ensureDatabase } from './ensure.ts'
import { SqliteMessages } from './messages.ts'
import { migrate } from './migrations.ts'
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
  let reader: Database.Database | undefined
  let writer: Writer | undefined
  let index: DeviceIndex | undefined
  try {
    ensureDatabase(path)
    reader = connect(path)
    migrate(reader)
    reader.pragma('query_only = ON')
    writer = new Writer(path, onFailure)
    const queues = new Queues()
    const messages = new SqliteMessages(reader, writer, queues)
    index = new DeviceIndex(reader, writer, () => messages.newest)
    const opened = { reader, writer, index }
    return {
      messages,
      archive: new SqliteArchive(reader, writer, index),
      clients: new SqliteClients(reader, writer),
      devices: new SqliteDevices(reader, writer, queues, index),
      templates: new SqliteTemplates(reader, writer),
      async close() {
        // Both begin at once: nothing is taken from now on.
        await Promise.all([opened.index.close(), opened.writer.close()])
        opened.reader.close()
        release()
      },
    }
  } catch (error) {
    void index?.close()
    void writer?.close()
    reader?.close()
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
