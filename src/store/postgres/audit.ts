/** Stores the audit trail. A line belongs to the call that makes the change: see add_audit_line(). */
import {
  type AuditEntry,
  type AuditFilter,
  type AuditLine,
  type AuditStore,
  EVERY_LINE,
} from '../../audit/audit.ts'
import type { PostgresParts } from './parts.ts'
import { fromText, toText } from './text.ts'

/** An entry as `add_audit_line` takes it. */
export type AuditCall = Readonly<Record<string, unknown>>

/** What `add_audit_line` returns. */
export interface AddedLine {
  readonly id: number
  readonly atMs: number
}

export function auditCall(entry: AuditEntry | null): AuditCall | null {
  if (entry === null) return null
  const { by, action, object, detail } = entry
  return {
    client_id: toText(by.clientId),
    key_id: by.keyId,
    address: by.address,
    action,
    object: toText(object),
    // jsonb takes no U+0000 either.
    detail: JSON.parse(toText(JSON.stringify(detail)).replaceAll('\\\\u0000', '\\uf8ff0')),
  }
}

export class PostgresAudit implements AuditStore {
  readonly #parts: Omit<PostgresParts, 'audit'>
  readonly #listeners = new Set<(line: AuditLine) => void>()

  constructor(parts: Omit<PostgresParts, 'audit'>) {
    this.#parts = parts
  }

  /** Reports a line of a call of this node. */
  added(entry: AuditEntry | null, line: AddedLine | null, more: AuditEntry['detail'] = {}): void {
    if (entry === null || line === null) return
    const detail = { ...entry.detail, ...more }
    for (const listener of this.#listeners) listener({ ...entry, detail, ...line })
  }

  async add(_entry: AuditEntry): Promise<number> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  async complete(_id: number, _detail: AuditEntry['detail']): Promise<void> {
    throw new Error('not built')
  }

  async list(filter: AuditFilter, limit: number): Promise<AuditLine[]> {
    const { clientId, action, fromMs, toMs, before } = filter
    const rows = await this.#parts.reads.run<Row>(
      `SELECT id, at_ms AS "atMs", client_id AS "clientId", key_id AS "keyId", address, action, object, detail FROM audit
       WHERE ($1::text IS NULL OR client_id = $1) AND ($2::text IS NULL OR action = $2) AND ($3::bigint IS NULL OR at_ms >= $3)
         AND ($4::bigint IS NULL OR at_ms < $4) AND ($5::bigint IS NULL OR id < $5)
       ORDER BY id DESC LIMIT $6`,
      [toText(clientId), action, fromMs, toMs, before, limit],
    )
    return rows.map(toLine)
  }

  async purge(_beforeMs: number): Promise<number> {
    throw new Error('not built')
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

function toLine({ clientId, keyId, address, object, ...line }: Row): AuditLine {
  return { ...line, object: fromText(object), by: { clientId: fromText(clientId), keyId, address } }
}
