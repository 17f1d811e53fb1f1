/** Stores acknowledgements of alerts in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry } from '../../../audit/audit.ts'
import {
  ACK_MS,
  type AlertAck,
  type AlertAckStore,
  type NewAlertAck,
} from '../../../broker/contract/alert-acks.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import type { WriteOp, WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

interface Parts {
  readonly writer: Writer
  readonly audit: SqliteAudit
  readonly clock: Pick<Clock, 'wallMs'>
}

export class SqliteAlertAcks implements AlertAckStore {
  readonly #parts: Parts
  readonly #all: Statement<[], AlertAck>
  readonly #purge: WriteStatement
  readonly #put: WriteStatement
  readonly #remove: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    const { writer } = parts
    this.#parts = parts
    this.#all = db.prepare('SELECT key, by, at_ms AS atMs, count, note FROM alert_acks')
    this.#purge = writer.prepare('DELETE FROM alert_acks WHERE at_ms < ?')
    this.#put = writer.prepare(
      'INSERT OR REPLACE INTO alert_acks (key, by, at_ms, count, note) VALUES (?, ?, ?, ?, ?)',
    )
    this.#remove = writer.prepare('DELETE FROM alert_acks WHERE key = ?')
  }

  async all(): Promise<readonly AlertAck[]> {
    return this.#parts.writer.read(() => this.#all.all())
  }

  async put({ key, by, count, note }: NewAlertAck, audit: AuditEntry | null = null): Promise<void> {
    const nowMs = this.#parts.clock.wallMs()
    const put: WriteOp = [this.#put, key, by, nowMs, count, note]
    await this.#write([[this.#purge, nowMs - ACK_MS], put], audit)
  }

  async remove(key: string, audit: AuditEntry | null = null): Promise<boolean> {
    return (await this.#write([[this.#remove, key]], audit)) !== 0
  }

  /** Makes changes, with their audit line if the last change affected a row. Returns the number of affected rows. */
  async #write(changes: readonly WriteOp[], audit: AuditEntry | null): Promise<number> {
    const line = audit === null ? [] : [this.#parts.audit.insertionIfChanged(audit)]
    const counts = await this.#parts.writer.write([...changes, ...line])
    return counts[changes.length - 1] ?? 0
  }
}
