/** The device ids that a client may act for: its own id and its list, or all. */
import { describe, expect, test } from 'vitest'
import { DeviceList, NO_DEVICES } from '../../src/auth/device-list.ts'
import { canReadStatus, queueAccess } from '../../src/auth/queue-access.ts'

const LISTS: Readonly<Record<string, DeviceList>> = {
  hub: new DeviceList(['valve-1', 'site-1-*', 'si*']),
  mast: new DeviceList(['*']),
}
const own = queueAccess(
  () => true,
  (clientId) => LISTS[clientId] ?? NO_DEVICES,
)
const device = (id: string) => ({ id, roles: ['DEVISE'] })

describe('own queue only', () => {
  test.each([
    ['hub', 'hub', true],
    ['hub', 'valve-1', true],
    ['hub', 'valve-12', false],
    ['hub', 'valve-', false],
    ['hub', 'site-1-pump', true],
    ['hub', 'site-1-', true],
    ['hub', 'site', true],
    ['hub', 's', false],
    ['mast', 'anything', true],
    ['lamp', 'lamp', true],
    ['lamp', 'valve-1', false],
  ])('%s for %s → %s', (clientId, deviceId, may) => {
    expect(own(device(clientId), deviceId)).toBe(may)
  })

  test('all devices at once: * → no, MAN → yes, access checks off → yes', () => {
    expect(own(device('mast'), null)).toBe(false)
    expect(own({ id: 'admin', roles: ['MAN'] }, null)).toBe(true)
    expect(own({ id: '', roles: [], unrestricted: true }, null)).toBe(true)
    expect(own(null, 'lamp')).toBe(false)
  })

  test('status of a message for a listed device → readable', () => {
    const message = { deviceId: 'valve-1', senderId: 'shop', producerId: null }
    expect(canReadStatus(own, device('hub'), message)).toBe(true)
    expect(canReadStatus(own, device('lamp'), message)).toBe(false)
  })
})

test('every queue open: a client without a list → may act for all', () => {
  expect(
    queueAccess(
      () => false,
      () => NO_DEVICES,
    )(device('lamp'), 'valve-1'),
  ).toBe(true)
})

test('role READER: acts for no device, not even its own id; reads every status', () => {
  const reader = { id: 'auditor', roles: ['READER'] }
  const message = { deviceId: 'valve-1', senderId: 'shop', producerId: null }
  for (const rule of [
    own,
    queueAccess(
      () => false,
      () => NO_DEVICES,
    ),
  ]) {
    expect([rule(reader, 'auditor'), rule(reader, 'valve-1'), rule(reader, null)]).toEqual([
      false,
      false,
      false,
    ])
    expect(canReadStatus(rule, reader, message)).toBe(true)
  }
  expect(own({ ...reader, unrestricted: true }, 'valve-1')).toBe(true)
})
