/** The presence of devices on several nodes: to which node a device is connected. */
import { expect, test } from 'vitest'
import { Presence } from '../../src/broker/views/presence.ts'

test('presence: connected here, to another node, to both, to none → the node of the device', () => {
  const presence = new Presence()
  const nodeOf = (deviceId: string) => presence.detailOf(deviceId, undefined, 1).nodeId
  presence.setRemote([
    { nodeId: 2, deviceId: 'there', transport: 'MQTT' },
    { nodeId: 2, deviceId: 'both', transport: 'MQTT' },
  ])
  for (const deviceId of ['here', 'both']) presence.connected(deviceId, 'MQTT')
  presence.polled('meter')
  presence.seen('child')
  const ids = ['here', 'there', 'both', 'meter', 'child', 'stranger']
  expect(ids.map(nodeOf)).toEqual([1, 2, 1, 1, null, null])
  expect(presence.detailOf('here', undefined, null).nodeId).toBeNull()
})
