/** Tests the notes about devices that a storage keeps. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import { EVERY_LINE } from '../../src/audit/audit.ts'
import { MAX_NOTES } from '../../src/broker/contract/device-notes.ts'
import type { StorageUnderTest } from './storage.ts'

const admin = { clientId: 'admin', keyId: null, address: '192.0.2.7' }
const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'

/** @param current returns the empty storage of the present test */
export function noteContract(current: () => StorageUnderTest): void {
  describe('notes', () => {
    test('notes: two of one device, one of another → newest first, as written, after a restart too', async () => {
      const opened = current()
      const { notes } = opened.storage
      opened.clock.setWall(1_000)
      const first = await notes.add({ deviceId: HOSTILE, by: 'irina', text: HOSTILE })
      opened.clock.setWall(2_000)
      const second = await notes.add({ deviceId: HOSTILE, by: null, text: 'valve\nordered' })
      await notes.add({ deviceId: 'lamp', by: null, text: 'x' })
      expect(first).toEqual({ id: first?.id, atMs: 1_000, by: 'irina', text: HOSTILE })
      expect(await notes.list(HOSTILE)).toEqual([second, first])
      expect(await notes.list('none')).toEqual([])
      expect(await (await opened.reopen()).notes.list(HOSTILE)).toEqual([second, first])
    })

    test('notes: removed → gone, once, for its device only; its id is not used again', async () => {
      const opened = current()
      const { notes } = opened.storage
      const note = await notes.add({ deviceId: 'pump', by: null, text: 'a' })
      const id = note?.id ?? 0
      expect(await notes.remove('lamp', id)).toBe(false)
      expect(await notes.remove('pump', id)).toBe(true)
      expect(await notes.remove('pump', id)).toBe(false)
      const again = await (await opened.reopen()).notes.add({ deviceId: 'pump', by: null, text: 'b' })
      expect(again?.id).toBeGreaterThan(id)
    })

    test('notes: a device has the maximum → refused; another device is not', async () => {
      const { notes } = current().storage
      const add = (deviceId: string) => notes.add({ deviceId, by: null, text: 'a' })
      await Promise.all(Array.from({ length: MAX_NOTES - 1 }, () => add('pump')))
      expect((await Promise.all([add('pump'), add('pump')])).filter((note) => note === null)).toHaveLength(1)
      expect(await notes.list('pump')).toHaveLength(MAX_NOTES)
      expect(await add('lamp')).not.toBeNull()
    })

    test('notes: with audit → a line with the id of the note; without effect none', async () => {
      const { notes, audit } = current().storage
      const entry = entryOf(admin, 'device.note', 'pump', { text: HOSTILE })
      const note = await notes.add({ deviceId: 'pump', by: null, text: HOSTILE }, entry)
      await notes.remove('pump', 999_999, entry)
      const lines = await audit.list(EVERY_LINE, 9)
      expect(lines).toMatchObject([
        { action: 'device.note', object: 'pump', detail: { text: HOSTILE, noteId: note?.id } },
      ])
    })
  })
}
