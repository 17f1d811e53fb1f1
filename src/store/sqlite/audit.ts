/** Stores the audit trail in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry, AuditFilter, AuditLine, AuditStore } from '../../audit/audit.ts'
import type { Clock } from '../../broker/clock.ts'
import type { WriteOp, WriteStatement } from './transactions.ts'
import type { Writer } from './writer.ts'

/** A row, with the detail as JSON. */
interface Row extends Omit<AuditLine, 'by' | 'detail'> {
  readonly clientId: string | null
  readonly keyId: number | null
  readonly address: string | null
  readonly detail: string
}

/** Reads and writes the table `audit`. */
export class SqliteAudit implements AuditStore {
  readonly #writer: Writer
  readonly #clock: Pick<Clock, 'wallMs'>
  readonly #insert: WriteStatement
  readonly #list: Statement<[AuditFilter & { limit: number }], Row>
  readonly #purge: WriteStatement

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, clock: Pick<Clock, 'wallMs'>) {
    this.#writer = writer
    this.#clock = clock
    this.#insert = writer.prepare(
      'INSERT INTO audit (at_ms, client, key_id, address, action, object, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#list = db.prepare(
      `SELECT id, at_ms AS atMs, client AS clientId, key_id AS keyId, address, action, object, detail FROM audit
       WHERE (@before IS NULL OR id < @before) AND (@clientId IS NULL OR client = @clientId)
         AND (@action IS NULL OR action = @action) AND (@fromMs IS NULL OR at_ms >= @fromMs)
         AND (@toMs IS NULL OR at_ms < @toMs)
       ORDER BY id DESC LIMIT @limit`,
    )
    this.#purge = writer.prepare('DELETE FROM audit WHERE at_ms < ?')
  }

  /** Returns the statement that adds a line. It belongs into the batch of the change. */
  insertion({ by, action, object, detail }: AuditEntry): WriteOp {
    const { clientId, keyId, address } = by
    return [
      this.#insert,
      this.#clock.wallMs(),
      clientId,
      keyId,
      address,
      action,
      object,
      JSON.stringify(detail),
    ]
  }

  async add(entry: AuditEntry): Promise<void> {
    await this.#writer.write([this.insertion(entry)])
  }

  async list(filter: AuditFilter, limit: number): Promise<AuditLine[]> {
    const rows = this.#writer.read(() => this.#list.all({ ...filter, limit }))
    return rows.map(({ clientId, keyId, address, detail, ...line }) => ({
      ...line,
      by: { clientId, keyId, address },
      detail: JSON.parse(detail),
    }))
  }

  async purge(beforeMs: number): Promise<number> {
    const [removed = 0] = await this.#writer.write([[this.#purge, beforeMs]])
    return removed
  }
}
