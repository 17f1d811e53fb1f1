/** Stores notes about devices in SQLite. */
import type { Database, Statement } from 'better-sqlite3'
import { withNote } from '../../../audit/actor.ts'
import type { AuditEntry } from '../../../audit/audit.ts'
import {
  type DeviceNote,
  type DeviceNoteStore,
  MAX_NOTES,
  type NewNote,
} from '../../../broker/contract/device-notes.ts'
import type { Clock } from '../../../broker/vocabulary/clock.ts'
import { lastId } from '../database/sequences.ts'
import type { WriteStatement } from '../database/transactions.ts'
import type { Writer } from '../database/writer.ts'
import type { SqliteAudit } from './audit.ts'

interface Parts {
  readonly writer: Writer
  readonly audit: SqliteAudit
  readonly clock: Pick<Clock, 'wallMs'>
}

export class SqliteDeviceNotes implements DeviceNoteStore {
  readonly #parts: Parts
  readonly #list: Statement<[deviceId: string], DeviceNote>
  readonly #add: WriteStatement
  readonly #remove: WriteStatement
  #lastId: number

  /** @param db connection for reads */
  constructor(db: Database, parts: Parts) {
    const { writer } = parts
    this.#parts = parts
    this.#list = db.prepare(
      'SELECT id, at_ms AS atMs, by, text FROM device_notes WHERE device_id = ? ORDER BY id DESC',
    )
    this.#add = writer.prepare(
      `INSERT INTO device_notes (id, device_id, at_ms, by, text) SELECT ?, ?, ?, ?, ?
       WHERE (SELECT count(*) FROM device_notes WHERE device_id = ?) < ${MAX_NOTES}`,
    )
    this.#remove = writer.prepare('DELETE FROM device_notes WHERE device_id = ? AND id = ?')
    this.#lastId = lastId(db, 'device_notes')
  }

  async list(deviceId: string): Promise<readonly DeviceNote[]> {
    return this.#parts.writer.read(() => this.#list.all(deviceId))
  }

  add({ deviceId, by, text }: NewNote, audit: AuditEntry | null = null): Promise<DeviceNote | null> {
    const { writer, audit: trail, clock } = this.#parts
    const id = ++this.#lastId
    const atMs = clock.wallMs()
    const line = audit && trail.line(withNote(audit, id))
    return writer.write(() => {
      const { changes } = this.#add.run(id, deviceId, atMs, by, text, deviceId)
      if (changes === 0) return null
      line?.()
      return { id, atMs, by, text }
    })
  }

  remove(deviceId: string, noteId: number, audit: AuditEntry | null = null): Promise<boolean> {
    const { writer, audit: trail } = this.#parts
    const line = audit && trail.line(audit)
    return writer.write(() => {
      const { changes } = this.#remove.run(deviceId, noteId)
      if (changes > 0) line?.()
      return changes > 0
    })
  }
}
