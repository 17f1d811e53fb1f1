/** Stores notes about devices, which all nodes share. */
import type { AuditEntry } from '../../../audit/audit.ts'
import type { DeviceNote, DeviceNoteStore, NewNote } from '../../../broker/contract/device-notes.ts'
import { decodeText, encodeText } from '../database/text.ts'
import type { PostgresParts } from '../parts.ts'
import type { AdminResult } from './admin-calls.ts'

interface AddResult extends AdminResult {
  readonly note: Pick<DeviceNote, 'id' | 'atMs'> | null
}

interface RemoveResult extends AdminResult {
  readonly removed: boolean
}

export class PostgresDeviceNotes implements DeviceNoteStore {
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts) {
    this.#parts = parts
  }

  async list(deviceId: string): Promise<readonly DeviceNote[]> {
    const rows = await this.#parts.reads.run<DeviceNote>(
      'SELECT id, at_ms AS "atMs", by, text FROM device_notes WHERE device_id = $1 ORDER BY id DESC',
      [encodeText(deviceId)],
    )
    return rows.map(({ by, text, ...row }) => ({ ...row, by: decodeText(by), text: decodeText(text) }))
  }

  async add({ deviceId, by, text }: NewNote, audit: AuditEntry | null = null): Promise<DeviceNote | null> {
    const { administration } = this.#parts
    const note = { deviceId: encodeText(deviceId), by: encodeText(by), text: encodeText(text) }
    const added = await administration.perform<AddResult>('addNote', { note }, audit)
    return added.note && { ...added.note, by, text }
  }

  async remove(deviceId: string, noteId: number, audit: AuditEntry | null = null): Promise<boolean> {
    const { administration } = this.#parts
    const parameters = { deviceId: encodeText(deviceId), id: noteId }
    return (await administration.perform<RemoveResult>('removeNote', parameters, audit)).removed
  }
}
