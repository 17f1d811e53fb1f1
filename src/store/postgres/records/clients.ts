/** Stores clients, and reports the changes of all nodes. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type { ClientRecord, ClientStore, RecordUpdate } from '../../../auth/clients.ts'
import { clientExists, lastAdmin, StaleClient, unknownClient } from '../../../auth/errors.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { AdminResult } from './admin-calls.ts'
import { type RecordChange, SharedRecords } from './shared-records.ts'

interface ClientResult extends AdminResult {
  readonly change?: RecordChange<ClientRecord>
}

export class PostgresClients implements ClientStore {
  readonly #parts: PostgresParts
  readonly #records: SharedRecords<ClientRecord>

  constructor(parts: PostgresParts) {
    this.#parts = parts
    this.#records = new SharedRecords(() => this.#read())
  }

  all(): Promise<ClientRecord[]> {
    return this.#records.all()
  }

  watch(listener: (update: RecordUpdate<ClientRecord>) => void): () => void {
    return this.#records.watch(listener)
  }

  /** Handles a journal row of kind `client`. */
  received({ content }: { readonly content: unknown }): void {
    this.#records.apply(fromStored(content as RecordChange<ClientRecord>))
  }

  /** Reports the changes of lost journal rows. */
  reload(): Promise<void> {
    return this.#records.reload()
  }

  async add(client: Omit<ClientRecord, 'id'>, audit: AuditEntry | null = null): Promise<ClientRecord> {
    const added = await this.#change('addClient', { client: toStored(client) }, audit)
    return added.record ?? fail(added.error, 0, client.deviceId)
  }

  async addFirstAdmin(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord | null> {
    const added = await this.#change('addClient', { client: toStored(client), first: true }, null)
    if (added.error === 'has-admin') return null
    return added.record ?? fail(added.error, 0, client.deviceId)
  }

  async replace(
    client: ClientRecord,
    audit: AuditEntry | null = null,
    before: ClientRecord | null = null,
  ): Promise<void> {
    const { id } = client
    const parameters = { id, client: toStored(client), before: before && toStored(before) }
    const { error } = await this.#change('replaceClient', parameters, audit)
    if (error !== undefined) fail(error, id, client.deviceId)
  }

  async lastLogins(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#parts.reads.run<{ id: number; at: number }>(
      'SELECT client_id AS id, at_ms AS at FROM client_logins',
    )
    return new Map(rows.map(({ id, at }) => [id, at]))
  }

  async previousLogin(clientId: number): Promise<number | null> {
    const [row] = await this.#parts.reads.run<{ atMs: number | null }>(
      'SELECT previous_ms AS "atMs" FROM client_logins WHERE client_id = $1',
      [clientId],
    )
    return row?.atMs ?? null
  }

  async recordLogins(times: readonly (readonly [clientId: number, atMs: number])[]): Promise<void> {
    await this.#parts.administration.perform('recordLogins', { times })
  }

  async remove(id: number, audit: AuditEntry | null = null): Promise<void> {
    const { error } = await this.#change('removeClient', { id }, audit)
    if (error !== undefined) fail(error, id, audit?.object ?? String(id))
  }

  /** Makes a change, and resolves when every live node has handled it. */
  async #change(
    verb: string,
    parameters: Readonly<Record<string, unknown>>,
    audit: AuditEntry | null,
  ): Promise<{ readonly error?: string; readonly record: ClientRecord | null }> {
    const { administration, node } = this.#parts
    const { change, error } = await administration.perform<ClientResult>(
      verb,
      parameters,
      audit,
      (result) => {
        if (result.change) this.#records.apply(fromStored(result.change))
      },
    )
    if (error !== undefined || !change) return { error: error ?? verb, record: null }
    await node.barrier()
    return { record: fromStored(change).record }
  }

  async #read(): Promise<RecordChange<ClientRecord>[]> {
    const rows = await this.#parts.reads.run<{ change: RecordChange<ClientRecord> }>(
      'SELECT client_change(c) AS change FROM clients c ORDER BY id',
    )
    return rows.map(({ change }) => fromStored(change))
  }
}

function toStored(client: Omit<ClientRecord, 'id'>): Omit<ClientRecord, 'id'> {
  const { deviceId, description, devices } = client
  return {
    ...client,
    deviceId: encodeText(deviceId),
    description: encodeText(description),
    devices: devices.map((each) => encodeText(each)),
  }
}

function fromStored(change: RecordChange<ClientRecord>): RecordChange<ClientRecord> {
  const { record } = change
  if (record === null) return change
  const { deviceId, description, devices } = record
  return {
    ...change,
    record: {
      ...record,
      deviceId: decodeText(deviceId),
      description: decodeText(description),
      devices: devices.map((each) => decodeText(each)),
    },
  }
}

function fail(error: string | undefined, id: number, deviceId: string): never {
  if (error === 'client-exists') throw clientExists(deviceId)
  if (error === 'last-admin') throw lastAdmin(deviceId)
  if (error === 'unknown-client') throw unknownClient(id)
  if (error === 'changed') throw new StaleClient(id)
  throw new Error(`The database refused the change of client ${id}: ${error}`)
}
