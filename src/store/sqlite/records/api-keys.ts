/** Stores API keys in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry } from '../../../audit/audit.ts'
import type { KeyRecord, KeyStore } from '../../../auth/api-keys.ts'
import { lastId } from '../database/sequences.ts'
import type { Value, WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

export class SqliteKeys implements KeyStore {
  readonly #writer: Writer
  readonly #audit: SqliteAudit
  readonly #all: Statement<[], KeyRecord>
  readonly #insert: WriteStatement
  readonly #remove: WriteStatement
  readonly #recordUse: WriteStatement
  #lastId: number

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, audit: SqliteAudit) {
    this.#writer = writer
    this.#audit = audit
    this.#all = db.prepare(
      `SELECT id, client_id AS clientId, hash, description, created_at_ms AS createdAtMs,
         last_used_at_ms AS lastUsedAtMs, expires_at_ms AS expiresAtMs
       FROM api_keys ORDER BY id`,
    )
    this.#insert = writer.prepare(
      `INSERT INTO api_keys (id, client_id, hash, description, created_at_ms, last_used_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#remove = writer.prepare('DELETE FROM api_keys WHERE id = ?')
    this.#recordUse = writer.prepare('UPDATE api_keys SET last_used_at_ms = ? WHERE id = ?')
    this.#lastId = lastId(db, 'api_keys')
  }

  async all(): Promise<KeyRecord[]> {
    return this.#all.all()
  }

  nextId(): number {
    return ++this.#lastId
  }

  async add(key: KeyRecord, audit: AuditEntry | null): Promise<void> {
    const { id, clientId, hash, description, createdAtMs, lastUsedAtMs, expiresAtMs } = key
    const values = [id, clientId, hash, description, createdAtMs, lastUsedAtMs, expiresAtMs]
    await this.#write(this.#insert, values, audit)
  }

  async remove(id: number, audit: AuditEntry | null): Promise<void> {
    await this.#write(this.#remove, [id], audit)
  }

  async recordUse(id: number, atMs: number): Promise<void> {
    await this.#writer.write(() => this.#recordUse.run(atMs, id))
  }

  #write(change: WriteStatement, values: readonly Value[], audit: AuditEntry | null): Promise<void> {
    const line = audit && this.#audit.line(audit)
    return this.#writer.write(() => {
      change.run(...values)
      line?.()
    })
  }
}
