/** Stores the audit trail. A line belongs to the call that makes the change: see add_audit_line(). */
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLine,
  type AuditStore,
  EVERY_LINE,
} from '../../../audit/audit.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { Verbs } from '../database/verbs.ts'
import type { Reads } from '../views/reads.ts'
import { AdminCalls } from './admin-calls.ts'
import { type AddedLine, detailOf, storedDetail } from './audit-lines.ts'

const STEP_LINES = 250

export class PostgresAudit implements AuditStore {
  /** Performs the changes of administrators. Its calls report their lines to {@link added}. */
  readonly administration: AdminCalls
  readonly #reads: Reads
  readonly #listeners = new Set<(line: AuditLine) => void>()

  constructor(verbs: Verbs, reads: Reads) {
    this.#reads = reads
    this.administration = new AdminCalls(verbs, (entry, line) => this.added(entry, line))
  }

  /** Reports a line of a call by this node. */
  added(entry: AuditEntry | null, line: AddedLine | null, more: AuditEntry['detail'] = {}): void {
    if (entry === null || line === null) return
    const detail = { ...entry.detail, ...more }
    for (const listener of this.#listeners) listener({ ...entry, detail, ...line })
  }

  async add(entry: AuditEntry): Promise<number> {
    const { line } = await this.administration.perform('addLine', {}, entry)
    if (!line) throw new Error('The database added no line to the audit trail.')
    return line.id
  }

  async complete(id: number, detail: AuditEntry['detail']): Promise<void> {
    await this.administration.perform('completeLine', { id, detail: storedDetail(detail) })
  }

  async list(filter: AuditFilter, limit: number): Promise<AuditLine[]> {
    const { clientId, action, object, fromMs, toMs, before } = filter
    const rows = await this.#reads.run<Row>(
      `SELECT id, at_ms AS "atMs", client_id AS "clientId", key_id AS "keyId", address, action, object, detail FROM audit
       WHERE ($1::text IS NULL OR client_id = $1) AND ($2::text IS NULL OR action = $2) AND ($3::bigint IS NULL OR at_ms >= $3)
         AND ($4::bigint IS NULL OR at_ms < $4) AND ($5::bigint IS NULL OR id < $5)
         AND ($7::text IS NULL OR object = $7)
       ORDER BY id DESC LIMIT $6`,
      [encodeText(clientId), action, fromMs, toMs, before, limit, encodeText(object)],
    )
    return rows.map(toLine)
  }

  async purge(beforeMs: number): Promise<number> {
    for (let removed = 0; ; ) {
      const [row] = await this.#reads.run<{ removed: number }>('SELECT purge_lines($1, $2) AS removed', [
        beforeMs,
        STEP_LINES,
      ])
      removed += row?.removed ?? 0
      if ((row?.removed ?? 0) < STEP_LINES) return removed
    }
  }

  async newestMs(): Promise<number | null> {
    const [newest] = await this.list(EVERY_LINE, 1)
    return newest?.atMs ?? null
  }

  onAdded(listener: (line: AuditLine) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

interface Row extends Omit<AuditLine, 'by'> {
  readonly clientId: string | null
  readonly keyId: number | null
  readonly address: string | null
}

function toLine({ clientId, keyId, address, object, detail, ...line }: Row): AuditLine {
  const by = { clientId: decodeText(clientId), keyId, address }
  return { ...line, object: decodeText(object), detail: detailOf(detail), by }
}
