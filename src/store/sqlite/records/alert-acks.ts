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
import type { WriteStatement } from '../database/transactions.ts'
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
    const { writer, audit: trail, clock } = this.#parts
    const nowMs = clock.wallMs()
    const line = audit && trail.line(audit)
    await writer.write(() => {
      this.#purge.run(nowMs - ACK_MS)
      this.#put.run(key, by, nowMs, count, note)
      line?.()
    })
  }

  remove(key: string, audit: AuditEntry | null = null): Promise<boolean> {
    const { writer, audit: trail } = this.#parts
    const line = audit && trail.line(audit)
    return writer.write(() => {
      const { changes } = this.#remove.run(key)
      if (changes > 0) line?.()
      return changes > 0
    })
  }
}
