/** Opens the database in a data directory: settings, migrations, the storage contracts. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import type { ClientStore } from '../../auth/clients.ts'
import type { MessageArchive } from '../../broker/archive.ts'
import type { DeviceStore } from '../../broker/devices.ts'
import type { Backups, StoreState } from '../../broker/state.ts'
import type { MessageStore } from '../../broker/store.ts'
import type { TemplateStore } from '../../broker/templates.ts'
import { StartError } from '../../process/start-error.ts'
import { SqliteArchive } from './archive.ts'
import { BACKUP_FILE, SqliteBackups } from './backups.ts'
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
import { SqliteState } from './state.ts'
import { SqliteTemplates } from './templates.ts'
import { readQueues } from './waiting.ts'
import { Writer } from './writer.ts'

export interface Storage {
  readonly messages: MessageStore
  readonly archive: MessageArchive
  readonly clients: ClientStore
  readonly devices: DeviceStore
  readonly templates: TemplateStore
  readonly state: StoreState
  readonly backups: Backups
  /** Commits what is pending, then closes. */
  close(): Promise<void>
}

/**
 * @param directory made if it is not there; held until `close`
 * @param onFailure told once, when the disk failed and nothing is written any more
 * @param crowdedFrom messages from which a device's queue counts as nearly full
 * @throws {StartError}
 */
export function openStorage(
  directory: string,
  onFailure: (error: Error) => void,
  crowdedFrom?: number,
): Storage {
  const release = holdDirectory(directory)
  const path = join(directory, DATABASE_FILE)
  let db: Database.Database | undefined
  let writer: Writer | undefined
  let index: MessageIndex | undefined
  let state: SqliteState | undefined
  const failed = (error: Error): void => {
    if (state) state.failedAtMs = Date.now()
    onFailure(error)
  }
  try {
    // Of a process that was killed.
    rmSync(join(directory, BACKUP_FILE), { force: true })
    ensureDatabase(path)
    db = connect(path)
    migrate(db)
    writer = new Writer(db, failed)
    const polls = new Polls(writer)
    const queues = new Queues(crowdedFrom)
    readQueues(db, queues)
    const messages = new SqliteMessages(db, writer, queues, polls)
    index = new MessageIndex(db, writer, () => messages.newest)
    state = new SqliteState(directory, db, { writer, queues, index })
    const backups = new SqliteBackups(directory, state)
    const opened = { db, writer, index }
    return {
      messages,
      archive: new SqliteArchive(db, writer, index, polls),
      clients: new SqliteClients(db, writer),
      devices: new SqliteDevices(db, writer, queues, index),
      templates: new SqliteTemplates(db, writer),
      state,
      backups,
      async close() {
        // All begin at once: nothing is taken from now on.
        await Promise.all([polls.close(), opened.index.close(), opened.writer.close(), backups.close()])
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
