/** The devices that want no dispatch, and those that acknowledge nothing. */
import { describe, expect, test } from 'vitest'
import { type StoreListener, StoreListeners } from '../../src/broker/contract/store-listeners.ts'
import { BusyDevices } from '../../src/broker/engine/busy-devices.ts'
import { DeafDevices } from '../../src/broker/engine/deaf-devices.ts'
import { HeldClock } from '../_support/clock.ts'

function openBusy(stored: ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>> = new Map()) {
  const clock = new HeldClock()
  const listeners = new StoreListeners()
  const store = {
    busyDevices: () => stored,
    watch: (listener: StoreListener) => listeners.add(listener),
  }
  const devices = new BusyDevices(store, clock)
  const pause = (deviceId: string, forMs: number): void => listeners.report({ is: 'busy', deviceId, forMs })
  return { devices, clock, pause }
}

describe('busy devices', () => {
  test('a device asks for a pause → the rest of it, then nothing', () => {
    const { devices, clock, pause } = openBusy()
    pause('pump', 60_000)
    expect([devices.forMs('pump'), devices.forMs('valve'), devices.count]).toEqual([60_000, 0, 1])
    clock.advance(59_999)
    expect(devices.forMs('pump')).toBe(1)
    clock.advance(1)
    expect([devices.forMs('pump'), devices.count]).toEqual([0, 0])
  })

  test('the pause ends early → not busy', () => {
    const { devices, pause } = openBusy()
    pause('pump', 60_000)
    pause('pump', 0)
    expect([devices.forMs('pump'), devices.count]).toEqual([0, 0])
  })

  test('the wall clock is set back → the pause keeps its length', () => {
    const { devices, clock, pause } = openBusy()
    pause('pump', 60_000)
    clock.setWall(0)
    expect(devices.forMs('pump')).toBe(60_000)
  })

  test('a restart → the stored rest', async () => {
    const { devices } = openBusy(new Map([['pump', 20_000]]))
    await devices.load()
    expect(devices.forMs('pump')).toBe(20_000)
  })

  test('a pause ends while the stored ones are read → not busy', async () => {
    const { devices, pause } = openBusy(Promise.resolve(new Map([['pump', 20_000]])))
    const loaded = devices.load()
    pause('pump', 0)
    await loaded
    expect(devices.forMs('pump')).toBe(0)
  })
})

describe('deaf devices', () => {
  const open = () => {
    const clock = new HeldClock()
    const devices = new DeafDevices(clock)
    const changes: [string, boolean][] = []
    devices.onChange((deviceId, isDeaf) => changes.push([deviceId, isDeaf]))
    const park = (deviceId: string, times: number): void => {
      for (let n = 0; n < times; n++) devices.parked(deviceId, n)
    }
    return { clock, devices, changes, park }
  }

  test('two messages are parked → not deaf; a third one → deaf since then', () => {
    const { clock, devices, changes, park } = open()
    park('pump', 2)
    expect(devices.isDeaf('pump')).toBe(false)
    clock.advance(1_000)
    park('pump', 1)
    expect([devices.isDeaf('pump'), devices.isDeaf('valve')]).toEqual([true, false])
    expect(devices.all()).toEqual([{ deviceId: 'pump', sinceMs: 1_001_000 }])
    expect(changes).toEqual([['pump', true]])
  })

  test('an acknowledgement between parks → counting starts again', () => {
    const { devices, changes, park } = open()
    park('pump', 2)
    devices.acknowledged('pump')
    park('pump', 2)
    expect(devices.isDeaf('pump')).toBe(false)
    expect(changes).toEqual([])
  })

  test('a deaf device acknowledges → not deaf, and three more parks make it deaf', () => {
    const { devices, changes, park } = open()
    park('pump', 3)
    devices.acknowledged('pump')
    expect([devices.isDeaf('pump'), devices.all()]).toEqual([false, []])
    park('pump', 3)
    expect(changes).toEqual([
      ['pump', true],
      ['pump', false],
      ['pump', true],
    ])
  })
})
