/** Storage contract for the notes that people write about a device. Types only. Times are milliseconds since 1970. */
import type { AuditEntry } from '../../audit/audit.ts'

/** Maximum notes of a device. */
export const MAX_NOTES = 50

export interface NewNote {
  readonly deviceId: string
  /** Client that wrote the note; null when access checks are off. */
  readonly by: string | null
  readonly text: string
}

export interface DeviceNote extends Omit<NewNote, 'deviceId'> {
  /** Positive id, which grows with each note and is never reused. */
  readonly id: number
  readonly atMs: number
}

/** Promises resolve after the commit. The audit line is written in the same transaction. */
export interface DeviceNoteStore {
  /** Returns the notes of a device, the newest first. */
  list(deviceId: string): Promise<readonly DeviceNote[]>
  /**
   * Adds a note.
   *
   * @param audit gets the id of the note as `noteId` in its detail
   * @returns null, without an audit line, if the device has {@link MAX_NOTES} notes
   */
  add(note: NewNote, audit?: AuditEntry | null): Promise<DeviceNote | null>
  /** Removes a note of a device. Returns false and writes no audit line if there is none. */
  remove(deviceId: string, noteId: number, audit?: AuditEntry | null): Promise<boolean>
}
