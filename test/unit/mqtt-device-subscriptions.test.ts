/** The devices of a connection follow its subscriptions, at a cost that depends on the new filters alone. */
import { expect, test } from 'vitest'
import type { Peer } from '../../src/mqtt/aedes-internals.ts'
import { DeviceSubscriptions } from '../../src/mqtt/device-subscriptions.ts'
import { Duties } from '../../src/process/duties.ts'

function tracked() {
  const calls: string[] = []
  const devices = new DeviceSubscriptions({
    attach: (deviceId) => void calls.push(`+${deviceId}`),
    detach: (deviceId) => void calls.push(`-${deviceId}`),
    mayReceive: () => true,
    gatewayDevices: () => null,
    pending: { list: () => [], onAdded: () => () => {} },
    duties: new Duties(),
    log: { debug() {}, error: () => expect.unreachable() },
  })
  return { calls, devices }
}

/** Builds a connection whose filters must not be listed. */
function peerWith(filters: readonly string[]): { peer: Peer; subscriptions: Record<string, object> } {
  const subscriptions = Object.fromEntries(filters.map((filter) => [filter, {}]))
  const hidden = new Proxy(subscriptions, {
    ownKeys: () => {
      throw new Error('all filters were listed')
    },
  })
  return { peer: { closed: false, clean: true, subscriptions: hidden } as unknown as Peer, subscriptions }
}

test('SUBSCRIBE and UNSUBSCRIBE: a connection with other filters → only those of the packet are read', () => {
  const { calls, devices } = tracked()
  const { peer, subscriptions } = peerWith(['consumer/request/old', 'a'])
  subscriptions['consumer/request/lamp'] = {}
  devices.update(peer, ['consumer/request/lamp', 'consumer/request/refused'])
  devices.update(peer, ['consumer/request/lamp'])
  expect(calls).toEqual(['+lamp'])
  delete subscriptions['consumer/request/lamp']
  devices.update(peer, ['consumer/request/lamp', 'consumer/request/unknown'])
  expect(calls).toEqual(['+lamp', '-lamp'])
  expect([...devices.devicesOf(peer)]).toEqual([])
})

test('observer: two wildcard filters, one of them ends → an observer until both have ended', () => {
  const { devices } = tracked()
  const { peer, subscriptions } = peerWith(['producer/#', 'consumer/request/+'])
  devices.update(peer, ['producer/#', 'consumer/request/+'])
  delete subscriptions['producer/#']
  devices.update(peer, ['producer/#'])
  expect(devices.hasObservers).toBe(true)
  delete subscriptions['consumer/request/+']
  devices.update(peer, ['consumer/request/+'])
  expect(devices.hasObservers).toBe(false)
})
