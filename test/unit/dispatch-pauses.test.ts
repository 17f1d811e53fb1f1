/** The devices that want no dispatch, and those that acknowledge nothing. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { DeviceService } from '../../src/broker/contract/device-service.ts'
import { type StoreListener, StoreListeners } from '../../src/broker/contract/store-listeners.ts'
import { DeafDevices } from '../../src/broker/engine/deaf-devices.ts'
import { DispatchPauses, SETTLING_MS } from '../../src/broker/engine/dispatch-pauses.ts'
import { HeldClock } from '../_support/clock.ts'

type Services = ReadonlyMap<string, DeviceService>

const SERVICE: DeviceService = { sinceMs: 0, untilMs: null, reason: 'repair', by: null, forMs: null }

function openPauses(
  stored: ReadonlyMap<string, number> | Promise<ReadonlyMap<string, number>> = new Map(),
  services: Services | Promise<Services> = new Map(),
) {
  const clock = new HeldClock()
  const listeners = new StoreListeners()
  const store = {
    busyDevices: () => stored,
    devicesOutOfService: () => services,
    watch: (listener: StoreListener) => listeners.add(listener),
  }
  const pauses = new DispatchPauses({ store, clock, log: { error: () => {} } })
  onTestFinished(() => pauses.close())
  const changes: [string, number][] = []
  pauses.onChange((deviceId, forMs) => changes.push([deviceId, forMs]))
  const pause = (deviceId: string, forMs: number): void => listeners.report({ is: 'busy', deviceId, forMs })
  const setService = (deviceId: string, service: Partial<DeviceService> | null): void =>
    listeners.report({ is: 'service', deviceId, service: service && { ...SERVICE, ...service } })
  return { pauses, clock, pause, setService, changes }
}

describe('busy devices', () => {
  test('a device asks for a pause → the rest of it, then nothing', () => {
    const { pauses, clock, pause } = openPauses()
    pause('pump', 60_000)
    expect([pauses.forMs('pump'), pauses.forMs('valve'), pauses.busyDevices()]).toEqual([60_000, 0, ['pump']])
    clock.advance(59_999)
    expect(pauses.forMs('pump')).toBe(1)
    clock.advance(1)
    expect([pauses.forMs('pump'), pauses.busyDevices()]).toEqual([0, []])
  })

  test('the pause ends early → not busy', () => {
    const { pauses, pause } = openPauses()
    pause('pump', 60_000)
    pause('pump', 0)
    expect([pauses.forMs('pump'), pauses.busyDevices()]).toEqual([0, []])
  })

  test('the wall clock is set back → the pause keeps its length', () => {
    const { pauses, clock, pause } = openPauses()
    pause('pump', 60_000)
    clock.setWall(0)
    expect(pauses.forMs('pump')).toBe(60_000)
  })

  test('a restart → the stored rest', async () => {
    const { pauses } = openPauses(new Map([['pump', 20_000]]))
    await pauses.load()
    expect(pauses.forMs('pump')).toBe(20_000)
  })

  test('a pause ends while the stored ones are read → not busy', async () => {
    const { pauses, pause } = openPauses(Promise.resolve(new Map([['pump', 20_000]])))
    const loaded = pauses.load()
    pause('pump', 0)
    await loaded
    expect(pauses.forMs('pump')).toBe(0)
  })
})

describe('devices out of service', () => {
  test('out of service without an end → a pause without an end, until it ends', () => {
    const { pauses, clock, setService, changes } = openPauses()
    setService('pump', {})
    clock.advance(1e9)
    expect([pauses.forMs('pump'), pauses.forMs('valve')]).toEqual([Number.POSITIVE_INFINITY, 0])
    expect(pauses.serviceOf('pump')).toEqual(SERVICE)
    expect([pauses.devicesOutOfService(), pauses.busyDevices()]).toEqual([['pump'], []])
    setService('pump', null)
    expect([pauses.forMs('pump'), pauses.serviceOf('pump'), pauses.devicesOutOfService()]).toEqual([
      0,
      null,
      [],
    ])
    expect(changes).toEqual([
      ['pump', Number.POSITIVE_INFINITY],
      ['pump', 0],
    ])
  })

  test('out of service and busy → the later end holds, and neither ends the other', () => {
    const { pauses, clock, pause, setService, changes } = openPauses()
    setService('pump', { untilMs: 1, forMs: 10_000 })
    pause('pump', 60_000)
    expect([pauses.forMs('pump'), pauses.busyForMs('pump')]).toEqual([60_000, 60_000])
    setService('pump', null)
    expect(pauses.forMs('pump')).toBe(60_000)
    setService('pump', { untilMs: 1, forMs: 10_000 })
    pause('pump', 5_000)
    expect([pauses.forMs('pump'), pauses.busyForMs('pump')]).toEqual([10_000, 5_000])
    pause('pump', 0)
    expect([pauses.forMs('pump'), pauses.busyForMs('pump')]).toEqual([10_000, 0])
    clock.advance(10_000)
    expect([pauses.forMs('pump'), pauses.serviceOf('pump')]).toEqual([0, null])
    expect(changes.map(([, forMs]) => forMs)).toEqual([10_000, 60_000, 60_000, 60_000, 10_000, 10_000])
  })

  test('the service ends, by a person or its date → no signals for five minutes more', () => {
    const { pauses, clock, setService } = openPauses()
    setService('pump', {})
    setService('valve', { untilMs: 1, forMs: 60_000 })
    expect(pauses.devicesWithoutSignals()).toEqual(new Set(['pump', 'valve']))
    setService('pump', null)
    clock.advance(SETTLING_MS - 1)
    expect(pauses.devicesWithoutSignals()).toEqual(new Set(['pump', 'valve']))
    clock.advance(1)
    expect(pauses.devicesWithoutSignals()).toEqual(new Set(['valve']))
    clock.advance(60_000)
    expect(pauses.devicesWithoutSignals()).toEqual(new Set())
  })

  test('a device that was in service stays so → its signals are judged', () => {
    const { pauses, setService } = openPauses()
    setService('pump', null)
    expect(pauses.devicesWithoutSignals()).toEqual(new Set())
  })

  test('a restart → out of service as stored', async () => {
    const { pauses } = openPauses(new Map(), new Map([['pump', SERVICE]]))
    await pauses.load()
    expect(pauses.serviceOf('pump')).toEqual(SERVICE)
  })

  test('a service changes while the stored ones are read → the change holds', async () => {
    const { pauses, setService } = openPauses(new Map(), Promise.resolve(new Map([['pump', SERVICE]])))
    const loaded = pauses.load()
    await Promise.resolve()
    setService('pump', null)
    setService('valve', {})
    await loaded
    expect(pauses.devicesOutOfService()).toEqual(['valve'])
  })

  test('the store has another end than the event said → the next read within a minute takes it over', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const services = new Map<string, DeviceService>()
    const { pauses, clock, setService, changes } = openPauses(new Map(), services)
    setService('pump', { untilMs: 1, forMs: 1e9 })
    clock.advance(60_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(pauses.forMs('pump')).toBe(0)
    expect(changes.at(-1)).toEqual(['pump', 0])
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
