/** Shows, adds and removes the notes of people about devices. Knows no HTTP. */
import { entryOf } from '../../audit/actor.ts'
import type { Actor } from '../../audit/audit.ts'
import { type DeviceNote, type DeviceNoteStore, MAX_NOTES } from '../contract/device-notes.ts'
import { BrokerError } from '../vocabulary/errors.ts'

export class Notes {
  readonly #store: DeviceNoteStore

  constructor(store: DeviceNoteStore) {
    this.#store = store
  }

  /** Returns the notes of a device, the newest first. */
  list(deviceId: string): Promise<readonly DeviceNote[]> {
    return this.#store.list(deviceId)
  }

  /** Adds a note. @throws {BrokerError} too-many-notes */
  async add(deviceId: string, text: string, by: Actor): Promise<DeviceNote> {
    const audit = entryOf(by, 'device.note', deviceId, { text })
    const note = await this.#store.add({ deviceId, by: by.clientId, text }, audit)
    if (note !== null) return note
    const why = `Device "${deviceId}" has ${MAX_NOTES} notes, which is the limit. Remove one and try again.`
    throw new BrokerError('too-many-notes', why, undefined, { limit: MAX_NOTES })
  }

  /** Removes a note of a device. @throws {BrokerError} unknown-note */
  async remove(deviceId: string, noteId: number, by: Actor): Promise<void> {
    const audit = entryOf(by, 'device.note', deviceId, { noteId, removed: true })
    if (await this.#store.remove(deviceId, noteId, audit)) return
    throw new BrokerError('unknown-note', `Device "${deviceId}" has no note ${noteId}.`, undefined, {
      id: noteId,
    })
  }
}
