/** Stores clients in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import type { AuditEntry } from '../../../audit/audit.ts'
import { type ClientRecord, type ClientStore, VISIT_MS } from '../../../auth/clients.ts'
import type { StoredValue } from '../../../broker/vocabulary/message.ts'
import { lastId } from '../database/sequences.ts'
import type { Value, WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

/** Row, with the list of devices as JSON. */
interface Row extends Omit<ClientRecord, 'devices' | 'ownQueueOnly'> {
  readonly devices: string
  readonly ownQueueOnly: 0 | 1 | null
}

export class SqliteClients implements ClientStore {
  readonly #writer: Writer
  readonly #audit: SqliteAudit
  readonly #all: Statement<[], Row>
  readonly #insert: WriteStatement
  readonly #replace: WriteStatement
  readonly #remove: WriteStatement
  readonly #lastLogins: Statement<[], [number, number]>
  readonly #previousLogin: Statement<[id: number], number | null>
  readonly #recordLogin: WriteStatement
  #lastId: number

  /** @param db connection for reads */
  constructor(db: Database, writer: Writer, audit: SqliteAudit) {
    this.#writer = writer
    this.#audit = audit
    this.#all = db.prepare(
      `SELECT id, device_id AS deviceId, password_hash AS passwordHash, role, description,
         devices, own_queue_only AS ownQueueOnly, changed_at_ms AS changedAtMs
       FROM clients ORDER BY id`,
    )
    this.#insert = writer.prepare(
      `INSERT INTO clients (id, device_id, password_hash, role, description, devices, own_queue_only, changed_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#lastId = lastId(db, 'clients')
    this.#replace = writer.prepare(
      `UPDATE clients SET device_id = ?, password_hash = ?, role = ?, description = ?, devices = ?, own_queue_only = ?,
         changed_at_ms = ?
       WHERE id = ?`,
    )
    this.#remove = writer.prepare('DELETE FROM clients WHERE id = ?')
    this.#lastLogins = db
      .prepare<[], [number, number]>(
        'SELECT id, last_login_at_ms FROM clients WHERE last_login_at_ms IS NOT NULL',
      )
      .raw()
    this.#previousLogin = db
      .prepare<[id: number], number | null>('SELECT previous_login_at_ms FROM clients WHERE id = ?')
      .pluck()
    this.#recordLogin = writer.prepare(
      `UPDATE clients SET last_login_at_ms = ?, previous_login_at_ms =
         CASE WHEN ? - last_login_at_ms >= ${VISIT_MS} THEN last_login_at_ms ELSE previous_login_at_ms END
       WHERE id = ?`,
    )
  }

  async all(): Promise<ClientRecord[]> {
    return this.#all.all().map(({ devices, ownQueueOnly, ...row }) => ({
      ...row,
      devices: JSON.parse(devices),
      ownQueueOnly: ownQueueOnly === null ? null : ownQueueOnly === 1,
    }))
  }

  async add(client: Omit<ClientRecord, 'id'>, audit: AuditEntry | null = null): Promise<ClientRecord> {
    const id = ++this.#lastId
    await this.#write(this.#insert, [id, ...valuesOf(client)], audit)
    return { id, ...client }
  }

  async addFirstAdmin(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord | null> {
    const hasAdmin = (await this.all()).some(({ role }) => role === 'MAN')
    return hasAdmin ? null : this.add(client)
  }

  async replace(client: ClientRecord, audit: AuditEntry | null = null): Promise<void> {
    await this.#write(this.#replace, [...valuesOf(client), client.id], audit)
  }

  async lastLogins(): Promise<ReadonlyMap<number, number>> {
    return new Map(this.#lastLogins.all())
  }

  async previousLogin(clientId: number): Promise<number | null> {
    return this.#writer.read(() => this.#previousLogin.get(clientId) ?? null)
  }

  async recordLogins(times: readonly (readonly [clientId: number, atMs: number])[]): Promise<void> {
    await this.#writer.write(() => {
      for (const [clientId, atMs] of times) this.#recordLogin.run(atMs, atMs, clientId)
    })
  }

  async remove(id: number, audit: AuditEntry | null = null): Promise<void> {
    await this.#write(this.#remove, [id], audit)
  }

  #write(change: WriteStatement, values: readonly Value[], audit: AuditEntry | null): Promise<void> {
    const line = audit && this.#audit.line(audit)
    return this.#writer.write(() => {
      change.run(...values)
      line?.()
    })
  }
}

/** Returns the values of a client in the order of both statements. */
function valuesOf(client: Omit<ClientRecord, 'id'>): StoredValue[] {
  const { deviceId, passwordHash, role, description, devices, ownQueueOnly, changedAtMs } = client
  const isLimited = ownQueueOnly === null ? null : Number(ownQueueOnly)
  return [deviceId, passwordHash, role, description, JSON.stringify(devices), isLimited, changedAtMs]
}
