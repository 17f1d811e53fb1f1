/** The part of the storage contract about the settings of devices. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { MessageStore, StoreEvent } from '../../src/broker/contract/store.ts'
import {
  DEVICE_SETTING_LIST,
  type DeviceSettings,
  GENERAL_SETTINGS,
} from '../../src/broker/vocabulary/device-settings.ts'
import type { TSchema } from '../../src/web/schema.ts'
import { expectEvent, type OpenStore, recordEvents, useStore } from './store-under-test.ts'

const LEAST = settingsOf(({ minimum, enum: choices, type }) => minimum ?? choices?.[0] ?? type !== 'boolean')
const GREATEST = settingsOf(
  ({ maximum, enum: choices, type }) => maximum ?? choices?.at(-1) ?? type === 'boolean',
)

/** Returns settings with a value of its own in every row of the table. */
function settingsOf(value: (schema: TSchema) => unknown): DeviceSettings {
  return Object.fromEntries(
    DEVICE_SETTING_LIST.map(([name, { schema }]) => [name, value(schema)]),
  ) as DeviceSettings
}

/** Waits until every change was reported. The last report must have the last settings. */
async function expectLast(
  events: readonly StoreEvent[],
  changes: number,
  settings: DeviceSettings | undefined,
) {
  await vi.waitFor(
    () => {
      expect(events.length).toBeGreaterThanOrEqual(changes)
      expect(events.at(-1)).toEqual({ is: 'settings', deviceId: 'pump', settings })
    },
    { interval: 1 },
  )
}

export function settingsContract(open: OpenStore): void {
  describe('device settings', () => {
    const store = useStore(open)
    const change = (settings: DeviceSettings, deviceId = 'pump') =>
      store.messages.changeDeviceSettings(deviceId, settings)
    const all = async () => Object.fromEntries(await store.messages.deviceSettings())

    test('device settings: nothing was changed → none', async () => {
      expect(await all()).toEqual({})
    })

    test('device settings: two devices were changed → those of each, also after a reopen', async () => {
      await change(GREATEST)
      await change(LEAST, 'valve')
      expect(await all()).toEqual({ pump: GREATEST, valve: LEAST })

      await store.reopen()
      expect(await all()).toEqual({ pump: GREATEST, valve: LEAST })
    })

    test('device settings: every value is null → the device has none', async () => {
      await change(GREATEST)
      await change(GENERAL_SETTINGS)

      expect(await all()).toEqual({})
    })

    test('watch: settings were changed → the settings', async () => {
      const events = recordEvents(store.messages)
      await change(GREATEST)

      await expectEvent(events, { is: 'settings', deviceId: 'pump', settings: GREATEST })
    })

    test('watch: settings were changed ten times → reported to this node before each change resolves', async () => {
      const events = recordEvents(store.messages)
      for (let changes = 0; changes < 10; changes++) {
        const settings = changes % 2 ? GREATEST : LEAST
        await change(settings)
        expect(events.at(-1)).toEqual({ is: 'settings', deviceId: 'pump', settings })
      }
    })

    test('watch: twenty changes at once → the last report has what is stored', async () => {
      const events = recordEvents(store.messages)
      await Promise.all(Array.from({ length: 20 }, (_, n) => change(n % 2 ? GREATEST : LEAST)))

      await expectLast(events, 20, (await all()).pump)
    })

    describe('two nodes', () => {
      let first: MessageStore
      let second: MessageStore
      beforeEach(async ({ skip }) => {
        if (!store.second) return skip('the driver has one node')
        first = store.messages
        second = await store.second()
      })

      test('two nodes: one changes settings → the other reports and returns them', async () => {
        const events = recordEvents(second)
        await first.changeDeviceSettings('pump', GREATEST)

        expect((await second.deviceSettings()).get('pump')).toEqual(GREATEST)
        await expectEvent(events, { is: 'settings', deviceId: 'pump', settings: GREATEST })
      })

      test('two nodes: ten changes at once on each → the last report of each has what is stored', async () => {
        const [ofFirst, ofSecond] = [recordEvents(first), recordEvents(second)]
        const settings = [LEAST, GREATEST] as const
        await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            (n % 2 ? first : second).changeDeviceSettings('pump', settings[n % 3 ? 0 : 1]),
          ),
        )

        const { pump } = await all()
        await expectLast(ofFirst, 20, pump)
        await expectLast(ofSecond, 20, pump)
      })
    })
  })
}
