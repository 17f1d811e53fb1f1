/** The settings of devices in memory, over a store that answers late. */
import { expect, test } from 'vitest'
import { DeviceSettingsCache } from '../../src/broker/engine/device-settings-cache.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../../src/broker/vocabulary/device-settings.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { eventually } from '../_support/eventually.ts'
import { seeded } from '../_support/random.ts'

const open = () => openMemory({ clock: systemClock, random: seeded(1) })
const period = (sendMessagePeriodMs: number): DeviceSettings => ({ ...GENERAL_SETTINGS, sendMessagePeriodMs })
const reported = (cache: DeviceSettingsCache, settings: DeviceSettings) =>
  eventually(() => expect(cache.of('pump')).toEqual(settings))

test('of: nothing is stored → the general settings', () => {
  expect(new DeviceSettingsCache(open()).of('pump')).toBe(GENERAL_SETTINGS)
})

test('load: another node stored settings before → those', async () => {
  const store = open()
  await store.changeDeviceSettings('pump', period(7))
  const cache = new DeviceSettingsCache(store.second())
  await cache.load()

  expect(cache.of('pump')).toEqual(period(7))
})

test.each([period(8), GENERAL_SETTINGS])(
  'load: a change is reported before its result → the change',
  async (later) => {
    const store = open()
    await store.changeDeviceSettings('pump', period(7))
    const node = store.second()
    const held = node.hold('deviceSettings', 'result')
    const cache = new DeviceSettingsCache(node)
    const loaded = cache.load()
    await held.reached
    const reports: DeviceSettings[] = []
    cache.onChange((_, settings) => reports.push(settings))
    await store.changeDeviceSettings('pump', later)
    await eventually(() => expect(reports).toEqual([later]))

    held.letGo()
    await loaded
    expect(cache.of('pump')).toEqual(later)
  },
)

test('change: another node makes it → reported to each listener until its subscription ends', async () => {
  const store = open()
  const cache = new DeviceSettingsCache(store.second())
  const [staying, leaving]: [number[], number[]] = [[], []]
  cache.onChange((_, { sendMessagePeriodMs }) => staying.push(sendMessagePeriodMs ?? -1))
  const unsubscribe = cache.onChange((_, { sendMessagePeriodMs }) => leaving.push(sendMessagePeriodMs ?? -1))
  await store.changeDeviceSettings('pump', period(7))
  await reported(cache, period(7))
  unsubscribe()
  await store.changeDeviceSettings('pump', period(8))
  await reported(cache, period(8))

  expect([staying, leaving]).toEqual([[7, 8], [7]])
})
