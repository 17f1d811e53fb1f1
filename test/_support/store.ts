/** Real SQLite store in a separate directory, which can be closed and reopened. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import type { AuditStore } from '../../src/audit/audit.ts'
import type { KeyStore } from '../../src/auth/api-keys.ts'
import type { ClientStore } from '../../src/auth/clients.ts'
import type { DeviceStore } from '../../src/broker/contract/device-store.ts'
import type { IncidentStore } from '../../src/broker/contract/incident-store.ts'
import type { MessageLog } from '../../src/broker/contract/message-log.ts'
import type { MessageSearches } from '../../src/broker/contract/message-search.ts'
import type { PresenceStore } from '../../src/broker/contract/presence-store.ts'
import type { StatisticsStore } from '../../src/broker/contract/statistics-store.ts'
import type { MessageStore } from '../../src/broker/contract/store.ts'
import type { Backups, StoreStats } from '../../src/broker/contract/store-stats.ts'
import { ensureDatabase } from '../../src/store/sqlite/database/create-database.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { type OpenOptions, openStorage } from '../../src/store/sqlite/database.ts'
import type { Storage } from '../../src/store/storage.ts'
import { lastingDirectory, temporaryDirectory, whenDone } from './cleanup.ts'
import { eventually } from './eventually.ts'

/** Opens the storage in a directory. Its owner closes it. @throws {StartError} */
export function openIn(directory: string, options: Partial<OpenOptions> = {}): Storage {
  return openStorage({
    ...{ directory, durationsMs: [ATTEMPT_MS], limits: { messages: 1_000_000, bytes: 0 } },
    onFailure() {},
    ...options,
  })
}

/** Default duration of an attempt, in milliseconds. */
export const ATTEMPT_MS = 30_000

let emptyDatabase: string | null = null

/**
 * Puts an empty database into a directory. It is a copy, because creating one takes a third of the time of most tests.
 */
function addEmptyDatabase(directory: string): void {
  if (emptyDatabase === null) {
    const path = join(lastingDirectory(), DATABASE_FILE)
    ensureDatabase(path)
    emptyDatabase = path
  }
  copyFileSync(emptyDatabase, join(directory, DATABASE_FILE))
}

export class TemporaryStore {
  directory = temporaryDirectory()
  readonly failures: Error[] = []
  readonly #options: Partial<OpenOptions>
  #storage: Storage | null = null

  constructor(options: Partial<OpenOptions> = {}) {
    this.#options = options
    addEmptyDatabase(this.directory)
    this.#open()
    whenDone(() => this.close())
  }

  get messages(): MessageStore {
    return this.#opened.messages
  }

  get messageLog(): MessageLog {
    return this.#opened.messageLog
  }

  get searches(): MessageSearches {
    return this.#opened.searches
  }

  get clients(): ClientStore {
    return this.#opened.clients
  }

  get audit(): AuditStore {
    return this.#opened.audit
  }

  get keys(): KeyStore {
    return this.#opened.keys
  }

  get presence(): PresenceStore {
    return this.#opened.presence
  }

  get devices(): DeviceStore {
    return this.#opened.devices
  }

  get stats(): StoreStats {
    return this.#opened.stats
  }

  get incidents(): IncidentStore {
    return this.#opened.incidents
  }

  get statistics(): StatisticsStore {
    return this.#opened.statistics
  }

  get backups(): Backups {
    return this.#opened.backups
  }

  /** Waits until the index by device contains the messages up to this id. The store fills the index while idle. */
  async indexed(messageId: number): Promise<void> {
    const sql = 'SELECT message_id FROM progress WHERE message_id >= ?'
    await eventually(() => expect(this.rows(sql, messageId)).toHaveLength(1))
  }

  async reopen(): Promise<void> {
    await this.close()
    this.#open()
  }

  /** Opens the files that the process leaves if it is killed now. */
  async kill(): Promise<void> {
    const killed = this.#opened
    const left = lastingDirectory()
    for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`])
      copyFileSync(join(this.directory, name), join(left, name))
    await killed.close()
    this.directory = left
    this.#open()
  }

  async close(): Promise<void> {
    const storage = this.#storage
    this.#storage = null
    await storage?.close()
  }

  /** Returns rows as a second connection reads them: committed rows only. */
  rows<Row>(sql: string, ...parameters: unknown[]): Row[] {
    const db = new Database(join(this.directory, DATABASE_FILE), { readonly: true })
    try {
      return db.prepare<unknown[], Row>(sql).all(...parameters)
    } finally {
      db.close()
    }
  }

  get #opened(): Storage {
    if (!this.#storage) throw new Error('the store is closed')
    return this.#storage
  }

  #open(): void {
    const onFailure = (error: Error): void => void this.failures.push(error)
    this.#storage = openIn(this.directory, { onFailure, ...this.#options })
  }
}
