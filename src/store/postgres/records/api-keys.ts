/** Stores API keys, and reports the changes of all nodes. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type { KeyRecord, KeyStore } from '../../../auth/api-keys.ts'
import type { RecordUpdate } from '../../../auth/clients.ts'
import { MAX_KEYS, tooManyKeys, unknownClient } from '../../../auth/errors.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { AdminResult } from './admin-calls.ts'
import { type RecordChange, SharedRecords } from './shared-records.ts'

interface KeyResult extends AdminResult {
  readonly change?: RecordChange<KeyRecord>
}

export class PostgresKeys implements KeyStore {
  readonly #parts: PostgresParts
  readonly #records: SharedRecords<KeyRecord>

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#records = new SharedRecords(() => this.#read())
  }

  all(): Promise<KeyRecord[]> {
    return this.#records.all()
  }

  watch(listener: (update: RecordUpdate<KeyRecord>) => void): () => void {
    return this.#records.watch(listener)
  }

  /** Handles a journal row of kind `key`. */
  received({ content }: { readonly content: unknown }): void {
    this.#records.apply(fromStored(content as RecordChange<KeyRecord>))
  }

  /** Reports the changes of lost journal rows. */
  reload(): Promise<void> {
    return this.#records.reload()
  }

  async nextId(): Promise<number> {
    const rows = await this.#parts.reads.run<{ id: number }>(`SELECT nextval('key_ids') AS id`)
    return rows[0]?.id ?? 0
  }

  async add(key: KeyRecord, audit: AuditEntry | null): Promise<void> {
    const stored = { ...key, description: encodeText(key.description) }
    const { error } = await this.#change('addKey', { key: stored, max: MAX_KEYS }, audit)
    if (error === 'too-many-keys') throw tooManyKeys(key.clientId)
    if (error === 'unknown-client') throw unknownClient(key.clientId)
    await this.#parts.node.barrier()
  }

  /** Resolves when no live node accepts the key. Does nothing if another node removed the key meanwhile. */
  async remove(id: number, audit: AuditEntry | null): Promise<void> {
    await this.#change('removeKey', { id }, audit)
    await this.#parts.node.barrier()
  }

  async recordUse(id: number, atMs: number): Promise<void> {
    await this.#change('recordKeyUse', { id, atMs }, null)
  }

  #change(
    verb: string,
    parameters: Readonly<Record<string, unknown>>,
    audit: AuditEntry | null,
  ): Promise<KeyResult> {
    return this.#parts.administration.perform<KeyResult>(verb, parameters, audit, ({ change }) => {
      if (change) this.#records.apply(fromStored(change))
    })
  }

  async #read(): Promise<RecordChange<KeyRecord>[]> {
    const rows = await this.#parts.reads.run<{ change: RecordChange<KeyRecord> }>(
      'SELECT key_change(k) AS change FROM api_keys k ORDER BY id',
    )
    return rows.map(({ change }) => fromStored(change))
  }
}

function fromStored(change: RecordChange<KeyRecord>): RecordChange<KeyRecord> {
  const { record } = change
  return record === null
    ? change
    : { ...change, record: { ...record, description: decodeText(record.description) } }
}
