/** Stores API keys. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { KeyRecord, KeyStore } from '../../auth/api-keys.ts'
import type { PostgresParts } from './parts.ts'

export class PostgresKeys implements KeyStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  all(): Promise<KeyRecord[]> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  nextId(): number {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  add(_key: KeyRecord, _audit: AuditEntry | null): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  remove(_id: number, _audit: AuditEntry | null): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  recordUse(_id: number, _atMs: number): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
