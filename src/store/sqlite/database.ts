/** Opens the database in a data directory and builds the storage contracts on it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import type { QueueLimits } from '../../broker/contract/store.ts'
import { StoreCounts } from '../../broker/contract/store-metrics.ts'
import type { WriteObserver } from '../../broker/engine/storage-conditions.ts'
import { ALERT_LIMITS } from '../../broker/views/alerts.ts'
import { type Clock, systemClock } from '../../broker/vocabulary/clock.ts'
import { refuseAbortingAddon } from '../../process/addons.ts'
import { StartError } from '../../process/start-error.ts'
import type { Storage } from '../storage.ts'
import { BACKUP_FILE, SqliteBackups } from './database/backups.ts'
import { connect } from './database/connection.ts'
import { ensureDatabase } from './database/create-database.ts'
import { DATABASE_FILE, lockDirectory } from './database/directory.ts'
import { damaged, isDamage } from './database/integrity.ts'
import { OpenFiles } from './database/open-files.ts'
import { emptyLog } from './database/wal-sync.ts'
import { Writer } from './database/writer.ts'
import { loadQueues } from './messages/load-queues.ts'
import { MessageIndex } from './messages/message-index.ts'
import { SqliteMessages } from './messages/messages.ts'
import { TermsOfPending } from './messages/pending-terms.ts'
import { PollTimestamps } from './messages/poll-timestamps.ts'
import { Queues } from './messages/queues.ts'
import { SqliteAlertAcks } from './records/alert-acks.ts'
import { SqliteKeys } from './records/api-keys.ts'
import { SqliteAudit } from './records/audit.ts'
import { SqliteClients } from './records/clients.ts'
import { SqliteDeviceNotes } from './records/device-notes.ts'
import { SqliteIncidents } from './records/incidents.ts'
import { SqlitePresence } from './records/presence.ts'
import { SqliteStatistics } from './records/statistics.ts'
import { SqliteTemplates } from './records/templates.ts'
import { MIGRATIONS, migrate, type TakenStep } from './schema/migrations.ts'
import { SqliteDevices } from './views/devices.ts'
import { SqliteMessageLog } from './views/message-log.ts'
import { Readers } from './views/readers.ts'
import { SqliteMetrics } from './views/store-metrics.ts'
import { SqliteStats } from './views/store-stats.ts'

export interface OpenOptions {
  /** Data directory. It is created if missing, and locked until `close`. */
  readonly directory: string
  /** Called once, after a failure of the disk that stops all writes until a restart. */
  readonly onFailure: (error: Error) => void
  /** Receives the outcomes of writes: a full disk, a database that another program holds. */
  readonly observer?: WriteObserver
  /** Called after each schema step of an existing database. */
  readonly onStep?: (step: TakenStep) => void
  /** Durations of the attempts by their count, as in `AttemptRules`, for attempts that began before the opening. */
  readonly durationsMs: readonly number[]
  /** Limits of a queue before its first enqueue. */
  readonly limits: QueueLimits
  readonly clock?: Clock
}

/** Opens the storage in a data directory. @throws {StartError} */
export function openStorage(options: OpenOptions): Storage {
  const { directory, onFailure, onStep, durationsMs, limits, clock = systemClock } = options
  refuseAbortingAddon()
  const release = lockDirectory(directory)
  const path = join(directory, DATABASE_FILE)
  let db: Database.Database | undefined
  let files: OpenFiles | undefined
  let writer: Writer | undefined
  let index: MessageIndex | undefined
  let stats: SqliteStats | undefined
  const failed = (error: Error): void => {
    if (stats) stats.failedAtMs = clock.wallMs()
    onFailure(error)
  }
  try {
    // Removes the copy of a process that was killed during a backup.
    rmSync(join(directory, BACKUP_FILE), { force: true })
    ensureDatabase(path)
    db = connect(path)
    emptyLog(db)
    migrate(db, MIGRATIONS, onStep)
    files = new OpenFiles(directory, db)
    const counts = new StoreCounts()
    let audit: SqliteAudit | null = null
    const observer: WriteObserver = {
      refused: (code, writes) => options.observer?.refused(code, writes),
      stored() {
        options.observer?.stored()
        audit?.committed()
      },
    }
    writer = new Writer(db, failed, { counts, observer, files })
    const pollTimestamps = new PollTimestamps(writer)
    const terms = new TermsOfPending(db)
    const queues = new Queues({ terms, limits, nearlyFullShare: ALERT_LIMITS.queueShare })
    loadQueues(db, queues, terms, clock)
    audit = new SqliteAudit(db, writer, clock)
    const parts = { writer, queues, terms, pollTimestamps, clock, audit, counts }
    const messages = new SqliteMessages(db, parts, durationsMs)
    index = new MessageIndex(db, writer, () => messages.newest)
    stats = new SqliteStats(directory, db, { writer, queues, index, files })
    const backups = new SqliteBackups(directory, stats)
    const searches = new Readers(path, writer)
    const opened = { db, writer, index, files }
    files.watch((error) => opened.writer.fail(error))
    return {
      messages,
      messageLog: new SqliteMessageLog(db, writer, index, pollTimestamps),
      searches,
      handover: { read: (range) => searches.handover(range) },
      clients: new SqliteClients(db, writer, audit),
      keys: new SqliteKeys(db, writer, audit),
      audit,
      devices: new SqliteDevices(db, { writer, queues, index, messages }),
      notes: new SqliteDeviceNotes(db, { writer, audit, clock }),
      templates: new SqliteTemplates(db, writer, audit),
      alertAcks: new SqliteAlertAcks(db, { writer, audit, clock }),
      incidents: new SqliteIncidents(db, writer, audit),
      stats,
      statistics: new SqliteStatistics(db, writer, index),
      presence: new SqlitePresence(db, writer, clock),
      metrics: new SqliteMetrics(db, { writer, queues, counts, clock }),
      backups,
      async close() {
        // All parts begin to close at once, so that none accepts work that another part has refused.
        await Promise.all([
          pollTimestamps.close(),
          opened.index.close(),
          opened.writer.close(),
          backups.close(),
          searches.close(),
        ])
        opened.db.close()
        release()
        opened.files.close()
      },
    }
  } catch (error) {
    void index?.close()
    void writer?.close()
    db?.close()
    release()
    files?.close()
    throw toStartError(error, path)
  }
}

function toStartError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown }).code
  // Errors of SQLite and of the operating system have a code. Any other error already has its final text.
  if (typeof code !== 'string') return error
  const { message } = error as Error
  if (isDamage(error)) return damaged(path, { what: message, inLog: false }, error)
  return new StartError(`${path} cannot be opened (${message}): free some space or check the disk`, error)
}
