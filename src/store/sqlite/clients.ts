/** Clients in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import type { ClientRecord, ClientStore } from '../../auth/clients.ts'
import type { GroupCommit } from './commit.ts'

const COLUMNS =
  'id, device_id AS deviceId, password_hash AS passwordHash, role, description, changed_at_ms AS changedAtMs'

export class SqliteClients implements ClientStore {
  readonly #commit: GroupCommit
  readonly #all: Statement<[], ClientRecord>
  readonly #insert: Statement<[Omit<ClientRecord, 'id'>], ClientRecord>

  constructor(db: Database, commit: GroupCommit) {
    this.#commit = commit
    this.#all = db.prepare(`SELECT ${COLUMNS} FROM clients`)
    this.#insert = db.prepare(
      `INSERT INTO clients (device_id, password_hash, role, description, changed_at_ms)
       VALUES (@deviceId, @passwordHash, @role, @description, @changedAtMs)
       RETURNING ${COLUMNS}`,
    )
  }

  async all(): Promise<ClientRecord[]> {
    return this.#all.all()
  }

  add(client: Omit<ClientRecord, 'id'>): Promise<ClientRecord> {
    return this.#commit.write(() => this.#insert.get(client) as ClientRecord)
  }
}
