/** Reads the state of the storage: pending, oldest and failed messages, and disk space. Each read is bounded. */
import { statfs } from 'node:fs/promises'
import type { Database, Statement } from 'better-sqlite3'
import type {
  DiskSpace,
  FailedMessages,
  MessageRef,
  NearlyFullQueue,
  StoreStats,
  UnknownMessages,
} from '../../../broker/contract/store-stats.ts'
import type { Cause, Status } from '../../../broker/vocabulary/status.ts'
import type { OpenFiles } from '../database/open-files.ts'
import type { Writer } from '../database/writer.ts'
import type { MessageIndex } from '../messages/message-index.ts'
import type { Queues } from '../messages/queues.ts'
import { rareCondition } from '../schema/rare-statuses.ts'
import { Failures } from './failures.ts'

/** Maximum messages read for the oldest of several devices, because one device may have any number of them. */
const MAX_OLDEST_SCAN = 2_000
/** Number of messages per step after the end of the index. */
const NEW_ROWS_STEP = 10_000
const MAX_NEW_ROWS_STEPS = 5
/** Maximum messages read for the newest with a status. */
const MAX_NEWEST_SCAN = 50
/** Maximum messages read for the number of UNKNOWN messages. 10,000 take 10 ms through an index. */
const MAX_UNKNOWN_SCAN = 10_000

/** Condition on a message: its command was not sent again. */
const NOT_RESENT = 'NOT EXISTS (SELECT 1 FROM resends WHERE message_id = messages.id)'

interface PendingRow {
  readonly messageId: number
  readonly deviceId: string
}

interface Counts {
  readonly messagesAtMost: number
  readonly templates: number
}

interface Parts {
  readonly writer: Writer
  readonly queues: Queues
  readonly index: MessageIndex
  readonly files: Pick<OpenFiles, 'sizes'>
}

/** Combines the queues in memory, the index of pending messages and the messages after its end. */
export class SqliteStats implements StoreStats {
  failedAtMs: number | null = null
  readonly #directory: string
  readonly #writer: Writer
  readonly #queues: Queues
  readonly #index: MessageIndex
  readonly #files: Pick<OpenFiles, 'sizes'>
  readonly #indexedRows: Statement<[limit: number], PendingRow>
  readonly #newRows: Statement<[from: number, scan: number, limit: number], PendingRow>
  readonly #newRowsEnd: Statement<[from: number, before: number], number>
  readonly #createdAt: Statement<[id: number], number>
  readonly #newest: Statement<[status: Status, limit: number], MessageRef & { readonly cause: Cause | null }>
  readonly #unknown: Statement<
    [limit: number, sinceMs: number, without: string],
    MessageRef & { readonly cause: Cause; readonly count: number }
  >
  readonly #failures: Failures
  readonly #counts: Statement<[], Counts>

  /** Smallest id outside the index that may be pending. */
  #newRowsFrom = 0

  /** @param db connection for reads */
  constructor(directory: string, db: Database, { writer, queues, index, files }: Parts) {
    this.#directory = directory
    this.#writer = writer
    this.#queues = queues
    this.#index = index
    this.#files = files
    this.#indexedRows = db.prepare(
      'SELECT message_id AS messageId, device_id AS deviceId FROM waiting ORDER BY message_id LIMIT ?',
    )
    this.#newRows = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId
       FROM (SELECT id, device_id, status FROM messages WHERE id >= ? ORDER BY id LIMIT ?)
       WHERE status = 'NOT_DELIVERED' LIMIT ?`,
    )
    this.#newRowsEnd = db
      .prepare<[number, number], number>('SELECT id FROM messages WHERE id >= ? ORDER BY id LIMIT 1 OFFSET ?')
      .pluck()
    this.#createdAt = db.prepare<[number], number>('SELECT created_at_ms FROM messages WHERE id = ?').pluck()
    this.#newest = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId, changed_at_ms AS atMs, cause
       FROM messages INDEXED BY messages_rare
       WHERE status = ? AND ${rareCondition()} AND ${NOT_RESENT}
       ORDER BY id DESC LIMIT ?`,
    )
    // With min() SQLite takes the other columns from the row that has the minimum.
    this.#unknown = db.prepare(
      `SELECT cause, count(*) AS count, id AS messageId, device_id AS deviceId, min(changed_at_ms) AS atMs
       FROM (SELECT id, device_id, changed_at_ms, cause FROM messages INDEXED BY messages_rare
             WHERE status = 'UNKNOWN' AND ${rareCondition()} ORDER BY id DESC LIMIT ?) messages
       WHERE changed_at_ms >= ? AND cause IS NOT NULL AND device_id NOT IN (SELECT value FROM json_each(?)) AND ${NOT_RESENT}
       GROUP BY cause`,
    )
    this.#failures = new Failures(db)
    this.#counts = db.prepare(
      `SELECT coalesce((SELECT max(id) FROM messages) - (SELECT min(id) FROM messages) + 1, 0) AS messagesAtMost,
         (SELECT count(*) FROM templates) AS templates`,
    )
  }

  pending(): number {
    return this.#queues.pending
  }

  nearlyFull(limit: number): NearlyFullQueue[] {
    return this.#queues.nearlyFull(limit)
  }

  oldest(limit: number): Promise<readonly MessageRef[]> {
    return this.#read([], () => {
      const first = new Map<string, number>()
      for (const { messageId, deviceId } of this.#pendingRows(limit === 1 ? 1 : MAX_OLDEST_SCAN)) {
        if (!first.has(deviceId)) first.set(deviceId, messageId)
        if (first.size === limit) break
      }
      return [...first].map(([deviceId, messageId]) => {
        return { messageId, deviceId, atMs: this.#createdAt.get(messageId) as number }
      })
    })
  }

  /** Yields pending messages, oldest first. */
  *#pendingRows(scan: number): Generator<PendingRow> {
    yield* this.#indexedRows.iterate(scan)
    for (let step = 0; step < MAX_NEW_ROWS_STEPS; step++) {
      const from = Math.max(this.#index.end, Math.min(this.#newRowsFrom, this.#queues.oldestReplayed))
      const found = this.#newRows.all(from, NEW_ROWS_STEP, scan)
      yield* found
      const end = this.#newRowsEnd.get(from, NEW_ROWS_STEP - 1)
      if (found.length > 0 || end === undefined) return
      // Only a replay makes a message pending again, so the next read continues from here.
      this.#newRowsFrom = end + 1
    }
  }

  async newest(
    status: Status,
    sinceMs: number,
    limit: number,
    without: readonly Cause[] = [],
  ): Promise<readonly MessageRef[]> {
    const found = await this.#read([], () => this.#newest.all(status, MAX_NEWEST_SCAN))
    return found
      .filter(({ atMs, cause }) => atMs >= sinceMs && !(cause !== null && without.includes(cause)))
      .slice(0, limit)
      .map(({ messageId, deviceId, atMs }) => ({ messageId, deviceId, atMs }))
  }

  async unknown(sinceMs: number, without: readonly string[] = []): Promise<readonly UnknownMessages[]> {
    const excluded = JSON.stringify(without)
    const rows = await this.#read([], () => this.#unknown.all(MAX_UNKNOWN_SCAN, sinceMs, excluded))
    return rows.map(({ cause, count, ...oldest }) => ({ cause, count, oldest }))
  }

  failures(sinceMs: number): Promise<readonly FailedMessages[]> {
    return this.#failures.since(sinceMs, (rows) => this.#read([], rows))
  }

  async space(): Promise<DiskSpace> {
    const directory = this.#directory
    const { database, log } = this.#files.sizes()
    // The names may be gone while the open files are still there.
    const disk = await statfs(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
      throw error
    })
    return {
      directory,
      database,
      log,
      free: disk && disk.bavail * disk.bsize,
      disk: disk && disk.blocks * disk.bsize,
    }
  }

  counts(): Promise<Counts> {
    const none = { messagesAtMost: 0, templates: 0 }
    return this.#read(none, () => this.#counts.get() ?? none)
  }

  /** Runs a read. If it fails after a failure of the storage, returns `nothing`, so that the page still works. */
  async #read<T>(nothing: T, read: () => T): Promise<T> {
    try {
      return await this.#writer.readSynced(read)
    } catch (error) {
      if (this.failedAtMs === null) throw error
      return nothing
    }
  }
}
