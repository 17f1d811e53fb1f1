/** How the storage is doing: what waits, the oldest and the failed messages, room on the disk. Each look is bounded. */
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, Statement } from 'better-sqlite3'
import type { Status } from '../../broker/status.ts'
import type { DiskSpace, MessageRef, StoreStats } from '../../broker/store-stats.ts'
import { DATABASE_FILE } from './directory.ts'
import type { MessageIndex } from './message-index.ts'
import type { Queues } from './queues.ts'
import { rareCondition } from './rare-statuses.ts'
import type { Writer } from './writer.ts'

/** Most messages that are looked at for the oldest of several devices: one device may have all of them. */
const OLDEST_SCAN = 2_000
/** Messages that the index does not have yet are looked through in steps of so many, at most so many steps at a time. */
const RECENT_SCAN = 10_000
const RECENT_STEPS = 5
/** The same for the newest that got a status lately. */
const NEWEST_SCAN = 50

interface Waiting {
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
}

export class SqliteStats implements StoreStats {
  failedAtMs: number | null = null
  readonly #directory: string
  readonly #writer: Writer
  readonly #queues: Queues
  readonly #index: MessageIndex
  readonly #indexed: Statement<[limit: number], Waiting>
  readonly #recent: Statement<[from: number, scan: number, limit: number], Waiting>
  readonly #recentEnd: Statement<[from: number, before: number], number>
  readonly #createdAt: Statement<[id: number], number>
  readonly #newest: Statement<[status: Status, limit: number], MessageRef>
  readonly #counts: Statement<[], Counts>

  /** Of those that the index does not have, none with a smaller id waits. */
  #recentFrom = 0

  /** @param db to read on */
  constructor(directory: string, db: Database, { writer, queues, index }: Parts) {
    this.#directory = directory
    this.#writer = writer
    this.#queues = queues
    this.#index = index
    this.#indexed = db.prepare(
      'SELECT message_id AS messageId, device_id AS deviceId FROM waiting ORDER BY message_id LIMIT ?',
    )
    this.#recent = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId
       FROM (SELECT id, device_id, status FROM messages WHERE id >= ? ORDER BY id LIMIT ?)
       WHERE status = 'NOT_DELIVERED' LIMIT ?`,
    )
    this.#recentEnd = db
      .prepare<[number, number], number>('SELECT id FROM messages WHERE id >= ? ORDER BY id LIMIT 1 OFFSET ?')
      .pluck()
    this.#createdAt = db.prepare<[number], number>('SELECT created_at_ms FROM messages WHERE id = ?').pluck()
    this.#newest = db.prepare(
      `SELECT id AS messageId, device_id AS deviceId, changed_at_ms AS atMs
       FROM messages INDEXED BY messages_rare
       WHERE status = ? AND ${rareCondition()}
       ORDER BY id DESC LIMIT ?`,
    )
    this.#counts = db.prepare(
      `SELECT coalesce((SELECT max(id) FROM messages) - (SELECT min(id) FROM messages) + 1, 0) AS messagesAtMost,
         (SELECT count(*) FROM templates) AS templates`,
    )
  }

  pending(): number {
    return this.#queues.pending
  }

  nearlyFull(limit: number): { deviceId: string; pending: number }[] {
    return this.#queues
      .nearlyFull(limit)
      .map((deviceId) => ({ deviceId, pending: this.#queues.size(deviceId) }))
  }

  oldest(limit: number): Promise<readonly MessageRef[]> {
    return this.#read([], () => {
      const first = new Map<string, number>()
      for (const { messageId, deviceId } of this.#waiting(limit === 1 ? 1 : OLDEST_SCAN)) {
        if (!first.has(deviceId)) first.set(deviceId, messageId)
        if (first.size === limit) break
      }
      return [...first].map(([deviceId, messageId]) => {
        return { messageId, deviceId, atMs: this.#createdAt.get(messageId) as number }
      })
    })
  }

  /** Oldest first. */
  *#waiting(scan: number): Generator<Waiting> {
    yield* this.#indexed.iterate(scan)
    for (let step = 0; step < RECENT_STEPS; step++) {
      const from = Math.max(this.#index.end, this.#recentFrom)
      const found = this.#recent.all(from, RECENT_SCAN, scan)
      yield* found
      const end = this.#recentEnd.get(from, RECENT_SCAN - 1)
      if (found.length > 0 || end === undefined) return
      // Nothing comes back to waiting, so that the next look goes on from here.
      this.#recentFrom = end + 1
    }
  }

  async newest(status: Status, sinceMs: number, limit: number): Promise<readonly MessageRef[]> {
    const found = await this.#read([], () => this.#newest.all(status, NEWEST_SCAN))
    return found.filter(({ atMs }) => atMs >= sinceMs).slice(0, limit)
  }

  async space(): Promise<DiskSpace> {
    const directory = this.#directory
    const path = join(directory, DATABASE_FILE)
    // By name: a file that is opened and closed would take the locks of SQLite with it (POSIX).
    const [database, log, disk] = await Promise.all([
      stat(path),
      stat(`${path}-wal`).catch(() => null),
      statfs(directory),
    ])
    return {
      directory,
      database: database.size,
      log: log?.size ?? 0,
      free: disk.bavail * disk.bsize,
      disk: disk.blocks * disk.bsize,
    }
  }

  counts(): Promise<Counts> {
    const none = { messagesAtMost: 0, templates: 0 }
    return this.#read(none, () => this.#counts.get() ?? none)
  }

  /** A storage that failed is still to be told about: what cannot be read any more counts as not there. */
  async #read<T>(nothing: T, look: () => T): Promise<T> {
    try {
      return await this.#writer.readSynced(look)
    } catch (error) {
      if (this.failedAtMs === null) throw error
      return nothing
    }
  }
}
