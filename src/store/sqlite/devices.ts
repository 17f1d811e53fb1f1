/** Devices in SQLite: clients and the owners of messages together, page by page; what waits is known in memory. */
import type { Database, Statement } from 'better-sqlite3'
import type { DeviceRecord, DeviceStore } from '../../broker/devices.ts'
import type { MessageIndex } from './message-index.ts'
import type { Queues } from './queues.ts'
import type { Writer } from './writer.ts'

/** Most messages looked at that the index by device does not have yet: it is filled as soon as the disk has time. */
const SCAN = 10_000

export class SqliteDevices implements DeviceStore {
  readonly #writer: Writer
  readonly #queues: Queues
  readonly #index: MessageIndex
  readonly #clients: Statement<[after: string, limit: number], string>
  readonly #nextIndexed: Statement<[after: string], string>
  readonly #recent: Statement<[from: number, scan: number, after: string, limit: number], string>
  readonly #clientId: Statement<[deviceId: string], number>
  readonly #createdAt: Statement<[id: number], number>

  /** @param db to read on */
  constructor(db: Database, writer: Writer, queues: Queues, index: MessageIndex) {
    this.#writer = writer
    this.#queues = queues
    this.#index = index
    this.#clients = db
      .prepare<[string, number], string>(
        'SELECT device_id FROM clients WHERE device_id > ? ORDER BY device_id LIMIT ?',
      )
      .pluck()
    this.#nextIndexed = db
      .prepare<[string], string>(
        'SELECT device_id FROM device_messages WHERE device_id > ? ORDER BY device_id LIMIT 1',
      )
      .pluck()
    this.#recent = db
      .prepare<[number, number, string, number], string>(
        `SELECT DISTINCT device_id FROM (SELECT device_id FROM messages WHERE id >= ? ORDER BY id DESC LIMIT ?)
         WHERE device_id > ? ORDER BY device_id LIMIT ?`,
      )
      .pluck()
    this.#clientId = db.prepare<[string], number>('SELECT id FROM clients WHERE device_id = ?').pluck()
    this.#createdAt = db.prepare<[number], number>('SELECT created_at_ms FROM messages WHERE id = ?').pluck()
  }

  async list(after: string, limit: number): Promise<readonly DeviceRecord[]> {
    return this.#writer.read(() => this.#list(after, limit))
  }

  #list(after: string, limit: number): readonly DeviceRecord[] {
    const all = new Set([
      ...this.#clients.all(after, limit),
      ...this.#indexed(after, limit),
      ...this.#recent.all(this.#index.end, SCAN, after, limit),
    ])
    // As SQLite sorts: JavaScript's own order differs beyond U+FFFF.
    const sorted = [...all].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    return sorted.slice(0, limit).map((deviceId) => this.#record(deviceId))
  }

  /** Jumps from one device to the next: each may have any number of messages. */
  *#indexed(after: string, limit: number): Generator<string> {
    let last: string | undefined = after
    for (let i = 0; i < limit; i++) {
      last = this.#nextIndexed.get(last)
      if (last === undefined) return
      yield last
    }
  }

  #record(deviceId: string): DeviceRecord {
    const oldest = this.#queues.oldest(deviceId)
    return {
      deviceId,
      clientId: this.#clientId.get(deviceId) ?? null,
      waiting: this.#queues.size(deviceId),
      oldestAtMs: oldest === null ? null : (this.#createdAt.get(oldest) ?? null),
    }
  }
}
