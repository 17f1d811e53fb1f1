/** Gateways: which devices are present through which connections, and what that costs. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { DeviceList } from '../../src/auth/device-list.ts'
import { BrokerError } from '../../src/broker/vocabulary/errors.ts'
import type { Peer } from '../../src/mqtt/aedes-internals.ts'
import { DeviceSubscriptions } from '../../src/mqtt/device-subscriptions.ts'
import { GATEWAY_FILTER, GATEWAY_LIMITS, type GatewayDevices } from '../../src/mqtt/gateways.ts'
import { Duties } from '../../src/process/duties.ts'
import { whenDone } from '../_support/cleanup.ts'

let calls: string[]
let pending: string[]
let read: () => string[] | Promise<string[]>
let added: (deviceId: string) => void
let rights: Map<Peer, GatewayDevices>
let mayReceive: (filter: string) => boolean
let devices: DeviceSubscriptions

beforeEach(() => {
  calls = []
  pending = []
  read = () => pending
  added = () => {}
  rights = new Map()
  mayReceive = () => true
  devices = new DeviceSubscriptions({
    attach: (deviceId) => void calls.push(`+${deviceId}`),
    detach: (deviceId) => void calls.push(`-${deviceId}`),
    mayReceive: (_peer, filter) => mayReceive(filter),
    gatewayDevices: (peer) => rights.get(peer) ?? null,
    pending: {
      list: () => read(),
      onAdded: (listener) => {
        added = listener
        return () => {}
      },
    },
    duties: new Duties(),
    log: { debug() {}, error: () => expect.unreachable() },
  })
})

const peerWith = (...filters: string[]): Peer =>
  ({
    closed: false,
    sessionExpiryInterval: 0,
    subscriptions: Object.fromEntries(filters.map((filter) => [filter, {}])),
  }) as unknown as Peer

function gateway(entries: readonly string[], ...filters: string[]): Peer {
  const peer = peerWith(GATEWAY_FILTER, ...filters)
  rights.set(peer, { ownId: 'hub', list: new DeviceList(entries) })
  devices.update(peer)
  return peer
}
const relist = (peer: Peer, entries: readonly string[]): void => {
  if (entries.length === 0) rights.delete(peer)
  else rights.set(peer, { ownId: 'hub', list: new DeviceList(entries) })
  devices.update(peer)
}

describe('presence', () => {
  test('a gateway subscribes → the listed devices with pending messages, and its own id', async () => {
    pending = ['site-1', 'other', 'valve', 'hub', 'site/2']
    gateway(['site*', 'valve', 'idle'])
    await nextTurn()
    expect(calls).toEqual(['+site-1', '+valve', '+hub'])
    expect(devices.hasObservers).toBe(false)
  })

  test('a message arrives for a listed device → present once; for another device → not', () => {
    const peer = gateway(['site-*'])
    for (const deviceId of ['site-1', 'other', 'site-1', 'site-2']) added(deviceId)
    expect(calls).toEqual(['+site-1', '+site-2'])
    expect([...devices.devicesOf(peer)]).toEqual(['site-1', 'site-2'])
    expect([...(devices.connected('site-1')?.peers ?? [])]).toEqual([peer])
  })

  test('* alone → every device', () => {
    gateway(['*'])
    added('anything')
    expect(calls).toEqual(['+anything'])
  })

  test('two gateways list one device → present through both', () => {
    const first = gateway(['site-*'])
    const second = gateway(['site-1'])
    added('site-1')
    expect(calls).toEqual(['+site-1', '+site-1'])
    devices.remove(first)
    expect([...(devices.connected('site-1')?.peers ?? [])]).toEqual([second])
  })

  test('subscribed by name as well → one connection of the device, until both have ended', () => {
    const name = 'consumer/request/site-1'
    const peer = gateway(['site-*'], name)
    added('site-1')
    expect(calls).toEqual(['+site-1'])
    delete (peer as unknown as { subscriptions: Record<string, object> }).subscriptions[name]
    devices.update(peer, [name])
    expect(calls).toEqual(['+site-1'])
    devices.remove(peer)
    expect(calls).toEqual(['+site-1', '-site-1'])
  })

  test('the gateway leaves, or unsubscribes → its devices are away, and stay so', () => {
    const left = gateway(['site-*'])
    added('site-1')
    devices.remove(left)
    added('site-2')
    expect(calls).toEqual(['+site-1', '-site-1'])
    const quiet = gateway(['site-*'])
    added('site-1')
    delete (quiet as unknown as { subscriptions: Record<string, object> }).subscriptions[GATEWAY_FILTER]
    devices.update(quiet, [GATEWAY_FILTER])
    added('site-1')
    expect(calls.slice(2)).toEqual(['+site-1', '-site-1'])
  })
})

describe('a storage that is away', () => {
  let reads: number
  let isAway: boolean
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    whenDone(() => vi.useRealTimers())
    reads = 0
    isAway = true
    read = async () => {
      reads++
      if (isAway) throw new BrokerError('storage-away', 'The database does not answer.')
      return pending
    }
  })
  const pass = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n++) {
      vi.advanceTimersByTime(1_000)
      await nextTurn()
    }
  }

  test('a gateway subscribes meanwhile → its devices with pending messages when the storage is back', async () => {
    pending = ['site-1', 'other', 'site-2']
    gateway(['site-*'])
    await pass(60)
    expect([reads > 5, calls]).toEqual([true, []])
    isAway = false
    await pass(5)
    expect(calls).toEqual(['+site-1', '+site-2'])
    const before = reads
    await pass(60)
    expect(reads).toBe(before)
  })

  test('the gateway leaves, or gets another list → its read is not repeated', async () => {
    pending = ['site-1', 'valve']
    const peer = gateway(['site-*'])
    await pass(1)
    relist(peer, ['valve'])
    isAway = false
    await pass(10)
    expect(calls).toEqual(['+valve'])
    isAway = true
    devices.remove(gateway(['site-*']))
    await nextTurn()
    const before = reads
    await pass(60)
    expect(reads).toBe(before)
  })
})

describe('a changed list', () => {
  test('a device leaves it → away at once; one joins it → present if it has messages', async () => {
    pending = ['site-1', 'site-2', 'valve']
    const peer = gateway(['site-1', 'site-2'])
    await nextTurn()
    relist(peer, ['site-2', 'valve'])
    await nextTurn()
    expect(calls).toEqual(['+site-1', '+site-2', '-site-1', '+valve'])
    expect(devices.accepts(peer, 'consumer/request/site-1')).toBe(false)
    expect(devices.accepts(peer, 'consumer/request/valve')).toBe(true)
  })

  test('it becomes empty → an observer; it is filled again → a gateway', () => {
    const peer = gateway(['site-*'])
    added('site-1')
    relist(peer, [])
    expect(calls).toEqual(['+site-1', '-site-1'])
    expect(devices.hasObservers).toBe(true)
    relist(peer, ['site-*'])
    expect(devices.hasObservers).toBe(false)
  })

  test('it becomes empty, with own queues only → neither', () => {
    const peer = gateway(['site-*'])
    mayReceive = () => false
    relist(peer, [])
    expect(devices.hasObservers).toBe(false)
  })

  test('a subscription by name has lost its right → the device is away', () => {
    const peer = peerWith('consumer/request/site-1')
    devices.update(peer)
    mayReceive = () => false
    devices.update(peer)
    expect(calls).toEqual(['+site-1', '-site-1'])
  })
})

describe('observers', () => {
  test('# or another wildcard of a client with a list → no device is present', () => {
    const peer = peerWith('#', 'consumer/#', 'consumer/request/#', 'consumer/+/site-1')
    rights.set(peer, { ownId: 'hub', list: new DeviceList(['*']) })
    devices.update(peer)
    added('site-1')
    expect(calls).toEqual([])
    expect(devices.hasObservers).toBe(true)
  })

  test('a gateway that also observes → accepts commands of foreign devices; without → not', () => {
    const only = gateway(['site-*'])
    const both = gateway(['site-*'], 'consumer/#')
    const foreign = 'consumer/request/other'
    expect([devices.accepts(only, foreign), devices.accepts(both, foreign)]).toEqual([false, true])
    expect(devices.accepts(only, 'consumer/request/site-1')).toBe(true)
    expect(devices.accepts(only, 'producer/response/hub')).toBe(true)
    expect(devices.accepts(peerWith('consumer/request/+'), foreign)).toBe(true)
  })
})

test('10,000 devices with messages → at most 100 start in a turn, in all 10,000', async () => {
  pending = Array.from({ length: 10_000 }, (_, i) => `site-${i}`)
  gateway(['site-*'])
  let most = 0
  for (let turns = 0; turns < 1_000 && calls.length < 10_000; turns++) {
    const before = calls.length
    await nextTurn()
    most = Math.max(most, calls.length - before)
  }
  expect(calls).toHaveLength(10_000)
  expect(most).toBeLessThanOrEqual(GATEWAY_LIMITS.startsPerTurn)
})

test('the gateway leaves while its devices start → no further device starts', async () => {
  pending = Array.from({ length: 1_000 }, (_, i) => `site-${i}`)
  const peer = gateway(['site-*'])
  await nextTurn()
  devices.remove(peer)
  const { length } = calls
  for (let turns = 0; turns < 20; turns++) await nextTurn()
  expect(calls).toHaveLength(length)
  expect(calls.filter((call) => call.startsWith('+'))).toHaveLength(length / 2)
})

test('another node dispatches to a device → the gateway loses it until its next message', () => {
  const peer = gateway(['site-*'])
  const own = peerWith('consumer/request/site-1')
  devices.update(own)
  added('site-1')
  added('site-2')
  expect(devices.release('site-1')).toEqual([own])
  expect([...devices.devicesOf(peer)]).toEqual(['site-2'])
  added('site-1')
  expect([...devices.devicesOf(peer)]).toEqual(['site-2', 'site-1'])
})
