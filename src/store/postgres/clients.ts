/** Stores clients. */
import type { AuditEntry } from '../../audit/audit.ts'
import type { ClientRecord, ClientStore } from '../../auth/clients.ts'
import type { PostgresParts } from './parts.ts'

export class PostgresClients implements ClientStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  all(): Promise<ClientRecord[]> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  add(_client: Omit<ClientRecord, 'id'>, _audit: AuditEntry | null = null): Promise<ClientRecord> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  replace(_client: ClientRecord, _audit: AuditEntry | null = null): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }

  remove(_id: number, _audit: AuditEntry | null = null): Promise<void> {
    throw new Error(`not built: ${this.#parts.node.id}`)
  }
}
