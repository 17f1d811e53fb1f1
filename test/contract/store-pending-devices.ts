/** The part of the storage contract about the devices with pending messages. */
import { describe, expect, test } from 'vitest'
import { type OpenStore, terms, useStore } from './store-under-test.ts'

export function pendingDevicesContract(open: OpenStore): void {
  describe('pendingDevices', () => {
    const store = useStore(open)
    const devices = async (): Promise<string[]> => [...(await store.messages.pendingDevices())].toSorted()

    test('pendingDevices: no message → none', async () => {
      expect(await devices()).toEqual([])
    })

    test('pendingDevices: several messages, also delayed and taken ones → each device once', async () => {
      await store.put()
      await store.put()
      await store.put({ deviceId: 'valve', terms: terms({ delaySeconds: 60 }) })
      await store.poll()

      expect(await devices()).toEqual(['pump', 'valve'])
      await store.reopen()
      expect(await devices()).toEqual(['pump', 'valve'])
    })

    test('pendingDevices: the last message is settled → without its device', async () => {
      const id = await store.put()
      await store.put({ deviceId: 'valve' })
      await store.complete(id)

      expect(await devices()).toEqual(['valve'])
    })
  })
}
