/** Topics, filters, and the rights of clients to publish and subscribe, as tables. */
import { describe, expect, test } from 'vitest'
import { DeviceList } from '../../src/auth/device-list.ts'
import { queueAccess } from '../../src/auth/queue-access.ts'
import { Acl } from '../../src/mqtt/acl.ts'
import { covers, formatTopic, isFilter, overlaps, parseTopic } from '../../src/mqtt/topics.ts'

const CLIENTS = {
  lamp: { id: 'lamp', roles: ['DEVISE'] },
  admin: { id: 'admin', roles: ['MAN'] },
  anyone: { id: '', roles: [], unrestricted: true },
}
type Name = keyof typeof CLIENTS

const extraTopics = ['telemetry/+/data', 'log/#']
const devicesOf = (clientId: string) => new DeviceList(clientId === 'site' ? ['site-*'] : [])
const open = new Acl({ canActFor: queueAccess(() => false, devicesOf), devicesOf, extraTopics })
const own = new Acl({ canActFor: queueAccess(() => true, devicesOf), devicesOf, extraTopics })

/** Returns those who may: the lamp, the lamp with APP_SECURITY_OWN_QUEUE_ONLY, the admin, anyone with PERMIT_ALL. */
function whoMay(verb: 'mayPublish' | 'maySubscribe', topic: string): string {
  const may = (acl: Acl, name: Name): boolean => acl[verb](CLIENTS[name], topic)
  const found: string[] = []
  if (may(open, 'lamp')) found.push('lamp')
  if (may(own, 'lamp')) found.push('own')
  if (may(open, 'admin')) found.push('admin')
  if (may(open, 'anyone')) found.push('anyone')
  expect(may(own, 'admin')).toBe(may(open, 'admin'))
  expect(may(own, 'anyone')).toBe(may(open, 'anyone'))
  return found.join(' ')
}

describe('publishing', () => {
  test.each([
    ['producer/request/lamp', 'lamp own admin anyone'],
    ['producer/request/radio', 'lamp own admin anyone'],
    ['producer/cancel/radio', 'lamp own admin anyone'],
    ['producer/cancel/a/b', 'anyone'],
    ['consumer/response/lamp', 'lamp own admin anyone'],
    ['consumer/response/radio', 'lamp admin anyone'],
    ['consumer/request/lamp', 'anyone'],
    ['producer/response/lamp', 'anyone'],
    ['producer/error/lamp', 'anyone'],
    ['producer/request', 'anyone'],
    ['producer/request/', 'anyone'],
    ['producer/request/a/b', 'anyone'],
    ['producer/requests/lamp', 'anyone'],
    ['Producer/request/lamp', 'admin anyone'],
    ['/producer/request/lamp', 'admin anyone'],
    ['producer', 'anyone'],
    ['telemetry/lamp/data', 'lamp own admin anyone'],
    ['telemetry/lamp/data/more', 'admin anyone'],
    ['telemetry/data', 'admin anyone'],
    ['log', 'lamp own admin anyone'],
    ['log/a/b', 'lamp own admin anyone'],
    ['weather', 'admin anyone'],
    ['$SYS/broker/new/clients', ''],
    ['$share/group/weather', ''],
  ])('to %s → allowed for %s', (topic, who) => {
    expect(whoMay('mayPublish', topic)).toBe(who)
  })
})

describe('subscribing', () => {
  test.each([
    ['consumer/request/lamp', 'lamp own admin anyone'],
    ['consumer/response/lamp', 'lamp own admin anyone'],
    ['producer/response/lamp', 'lamp own admin anyone'],
    ['producer/error/lamp', 'lamp own admin anyone'],
    ['producer/request/lamp', 'lamp admin anyone'],
    ['producer/cancel/lamp', 'lamp admin anyone'],
    ['consumer/request/radio', 'lamp admin anyone'],
    ['producer/response/0', 'lamp admin anyone'],
    ['consumer/request/+', 'lamp admin anyone'],
    ['consumer/+/lamp', 'lamp admin anyone'],
    ['consumer/request/lamp/#', 'lamp admin anyone'],
    ['consumer/#', 'lamp admin anyone'],
    ['#', 'admin anyone'],
    ['+/request/lamp', 'admin anyone'],
    ['+/+/+', 'admin anyone'],
    ['telemetry/lamp/data', 'lamp own admin anyone'],
    ['telemetry/+/data', 'lamp own admin anyone'],
    ['telemetry/#', 'admin anyone'],
    ['+/lamp/data', 'admin anyone'],
    ['log/+/x/#', 'lamp own admin anyone'],
    ['weather', 'admin anyone'],
    ['$SYS/#', 'admin anyone'],
    ['$SYS/+/heartbeat', 'admin anyone'],
    ['$SYSTEM/x', 'anyone'],
    ['$share/group/consumer/request/lamp', 'anyone'],
    ['$share/group/#', 'anyone'],
    ['', ''],
    ['a#', ''],
    ['#/a', ''],
    ['a/#/b', ''],
    ['consumer/request/lamp+', ''],
    ['+lamp', ''],
  ])('to %s → allowed for %s', (filter, who) => {
    expect(whoMay('maySubscribe', filter)).toBe(who)
  })
})

test('a gateway, with own queues only → its list, + for all devices, its acknowledgements', () => {
  const site = { id: 'site', roles: ['DEVISE'] }
  const filters = ['consumer/request/+', 'consumer/request/site-1', 'consumer/response/site-1']
  for (const filter of filters) expect([filter, own.maySubscribe(site, filter)]).toEqual([filter, true])
  const refused = ['consumer/request/lamp', 'consumer/#', 'consumer/+/site-1', 'consumer/response/+']
  for (const filter of refused) expect([filter, own.maySubscribe(site, filter)]).toEqual([filter, false])
  expect(own.maySubscribe(CLIENTS.lamp, 'consumer/request/+')).toBe(false)
  expect(own.mayPublish(site, 'consumer/response/site-1')).toBe(true)
  expect(own.mayPublish(site, 'consumer/response/lamp')).toBe(false)
})

test('gateway: role MAN, access checks off, an empty list → no gateway', () => {
  expect(open.gatewayList({ id: 'site', roles: ['DEVISE'] })).not.toBeNull()
  expect(open.gatewayList({ id: 'site', roles: ['MAN'] })).toBeNull()
  expect(open.gatewayList({ id: 'site', roles: [], unrestricted: true })).toBeNull()
  expect(open.gatewayList(CLIENTS.lamp)).toBeNull()
})

test('topics: an id that is not one level → null', () => {
  expect(parseTopic('consumer/request/lamp')).toEqual({ name: 'consumer/request', id: 'lamp' })
  expect(formatTopic('consumer/request', 'lamp')).toBe('consumer/request/lamp')
  for (const id of ['', 'a/b', '+', 'a+b', '#', 'a#']) {
    expect(formatTopic('consumer/request', id)).toBeNull()
    expect(parseTopic(`consumer/request/${id}`)).toBeNull()
  }
})

test('isFilter: valid filters → true', () => {
  for (const filter of ['#', '+', '/', 'a', 'a/#', '/#', '+/+', '/+', '+/', 'a/+/b', 'ä b/#']) {
    expect([filter, isFilter(filter)]).toEqual([filter, true])
  }
})

test.each([
  ['#', 'a/b', true, true],
  ['#', '#', true, true],
  ['#', '$SYS/x', false, true],
  ['a/#', 'a', true, true],
  ['a/#', 'a/+/c', true, true],
  ['a', 'a/#', false, true],
  ['a/+', 'a/b', true, true],
  ['a/+', 'a/#', false, true],
  ['a/+', 'a', false, false],
  ['a/b', 'a/+', false, true],
  ['+/b', 'a/+', false, true],
  ['a/b/c', 'a/b', false, false],
  ['+', 'a/b', false, false],
  ['a/b', 'a/c', false, false],
  ['$SYS/#', '$SYS/a', true, true],
] as const)('filters: %s and %s → covers %s, overlaps %s', (cover, filter, covered, overlapping) => {
  expect(covers(cover, filter)).toBe(covered)
  expect(overlaps(cover, filter)).toBe(overlapping)
  expect(overlaps(filter, cover)).toBe(overlapping)
})
