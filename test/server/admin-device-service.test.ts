/** The admin API of devices out of service and of notes: bodies, limits, errors, lists, audit, metric. */
import { beforeEach, expect, test } from 'vitest'
import { Client } from '../../src/client/index.ts'
import { auditLines } from '../_support/audit.ts'
import { BrokerUnderTest } from '../_support/broker.ts'

const DEVICES = '/admin/api/devices'

let broker: BrokerUnderTest
beforeEach(async () => {
  broker = await BrokerUnderTest.start()
})

const put = (deviceId: string, body: object) => broker.rest.put(`${DEVICES}/${deviceId}/service`, body)
const get = async (path: string) => (await broker.rest.get(`${DEVICES}/${path}`)).body

test('service: put, put again, deleted twice → as given, the start stays; then 404', async () => {
  const first = await put('pump', { reason: 'repair' })
  expect(first.status).toBe(200)
  const sinceDate = (first.body as { sinceDate: number }).sinceDate
  expect(first.body).toEqual({ sinceDate, untilDate: null, reason: 'repair', by: 'admin' })
  const untilDate = Date.now() + 60_000
  const service = { sinceDate, untilDate, reason: 'parts', by: 'admin' }
  expect((await put('pump', { reason: 'parts', untilDate })).body).toEqual(service)
  expect(await get('pump?details=true')).toMatchObject({ service })
  expect(await get('pump/service')).toEqual({ service, expiring: 0 })
  expect(await get('pump')).not.toHaveProperty('service')

  const remove = () => broker.rest.delete(`${DEVICES}/pump/service`)
  expect((await remove()).status).toBe(204)
  expect(await remove()).toMatchObject({ status: 404 })
  expect(await get('pump/service')).toEqual({ service: null, expiring: 0 })
})

test.each([
  ['without a reason', {}],
  ['an empty reason', { reason: '' }],
  ['a long reason', { reason: 'x'.repeat(501) }],
  ['an end that has passed', { reason: 'a', untilDate: 1 }],
  ['an end in two years', { reason: 'a', untilDate: Date.now() + 63_000_000_000 }],
])('service: %s → 400', async (_what, body) => {
  expect((await put('pump', body)).status).toBe(400)
  expect(await get('pump/service')).toMatchObject({ service: null })
})

test('service of many: twice, then their end → changed and unchanged; one audit line each', async () => {
  const change = async (body: object) => (await broker.rest.post(`${DEVICES}/service`, body)).body
  await put('b', { reason: 'repair' })
  const devices = ['a', 'b', 'c', 'a']
  expect(await change({ devices, reason: 'repair' })).toEqual({ changed: 2, unchanged: 1 })
  expect(await change({ devices, reason: 'parts', untilDate: Date.now() + 60_000 })).toEqual({
    changed: 3,
    unchanged: 0,
  })
  expect(await change({ devices: ['a', 'd'], end: true })).toEqual({ changed: 1, unchanged: 1 })
  const lines = (await auditLines(broker)).filter(({ action }) => action === 'device.service')
  expect(lines.map(({ object }) => object)).toEqual(['a', 'c', 'b', 'a', 'c', 'a', 'b'])
  expect(lines[0]).toMatchObject({ detail: { end: true } })
  expect(lines[6]).toMatchObject({ detail: { reason: 'repair', untilDate: null } })
})

test.each([
  ['no devices', { devices: [], reason: 'a' }],
  ['more than 1,000 devices', { devices: Array.from({ length: 1_001 }, (_, n) => `d${n}`), reason: 'a' }],
  ['neither a reason nor an end', { devices: ['a'] }],
  ['a reason and an end', { devices: ['a'], reason: 'a', end: true }],
  ['a date and an end', { devices: ['a'], untilDate: Date.now() + 60_000, end: true }],
])('service of many: %s → 400', async (_what, body) => {
  expect((await broker.rest.post(`${DEVICES}/service`, body)).status).toBe(400)
})

test('service of many: 1,000 devices → all', async () => {
  const devices = Array.from({ length: 1_000 }, (_, n) => `d${n}`)
  expect((await broker.rest.post(`${DEVICES}/service`, { devices, reason: 'a' })).body).toEqual({
    ...{ changed: 1_000, unchanged: 0 },
  })
})

test('device list: with=SERVICE → those out of service, with details; counted with details only', async () => {
  for (const deviceId of ['pump', 'valve']) await broker.send(deviceId, { command: 'a' })
  await put('valve', { reason: 'repair' })
  const listed = (await get('?details=true&with=SERVICE')) as { deviseId: string; service: object }[]
  expect(listed).toMatchObject([{ deviseId: 'valve', service: { reason: 'repair' } }])
  expect(await get('?details=true&with=SERVICE,BUSY')).toEqual([])
  expect(await get('counts')).not.toHaveProperty('outOfService')
  expect(await get('counts?details=true')).toMatchObject({ all: 2, outOfService: 1 })
  const metrics = await fetch(`${broker.server.url}/metrics`, {
    headers: { authorization: `Bearer ${broker.token}` },
  })
  expect(await metrics.text()).toContain('waybill_devices_out_of_service 1\n')
})

test('service: the number of messages that expire until a date', async () => {
  await broker.send('pump', { command: 'a', validSeconds: 60 })
  await broker.send('pump', { command: 'b', validSeconds: 7_200 })
  await broker.send('pump', { command: 'c' })
  await broker.send('valve', { command: 'a', validSeconds: 60 })
  expect(await get('pump/service')).toMatchObject({ expiring: 2 })
  expect(await get(`pump/service?untilDate=${Date.now() + 3_600_000}`)).toMatchObject({ expiring: 1 })
  expect(await get(`pump/service?untilDate=${Date.now()}`)).toMatchObject({ expiring: 0 })
})

test('notes: added, listed, removed → newest first, 201 and 204; unknown → 404', async () => {
  const notes = `${DEVICES}/pump/notes`
  const added = await broker.rest.post(notes, { text: 'valve ordered' })
  expect(added.status).toBe(201)
  const first = added.body as { id: number; date: number }
  expect(first).toEqual({ id: first.id, date: expect.any(Number), by: 'admin', text: 'valve ordered' })
  const { body: second } = await broker.rest.post(notes, { text: 'ключ у Ирины 🙂' })
  expect((await broker.rest.get(notes)).body).toEqual([second, first])
  expect((await broker.rest.delete(`${DEVICES}/valve/notes/${first.id}`)).status).toBe(404)
  expect((await broker.rest.delete(`${notes}/${first.id}`)).status).toBe(204)
  expect((await broker.rest.delete(`${notes}/${first.id}`)).status).toBe(404)
  expect((await broker.rest.get(notes)).body).toEqual([second])
})

test('notes: an empty one, a long one → 400; the 51st → 409 too-many-notes', async () => {
  const notes = `${DEVICES}/pump/notes`
  for (const text of ['', 'x'.repeat(2_001)])
    expect((await broker.rest.post(notes, { text })).status).toBe(400)
  for (let n = 0; n < 50; n++)
    expect((await broker.rest.post(notes, { text: 'x'.repeat(2_000) })).status).toBe(201)
  expect(await broker.rest.post(notes, { text: 'a' })).toMatchObject({
    ...{ status: 409, text: expect.stringContaining('50 notes') },
  })
})

test('client library: service of one and of many, notes → as over REST', async () => {
  const { devices } = new Client({ url: broker.server.url, token: broker.token })
  expect(await devices.service('pump')).toBeNull()
  expect(await devices.takeOutOfService('pump', { reason: 'repair' })).toMatchObject({ by: 'admin' })
  expect(await devices.service('pump')).toMatchObject({ reason: 'repair', untilDate: null })
  expect(await devices.changeService(['pump', 'valve'], { reason: 'parts' })).toBe(2)
  expect(await devices.changeService(['pump', 'lamp'], null)).toBe(1)
  await devices.returnToService('valve')
  await expect(devices.returnToService('valve')).rejects.toMatchObject({ status: 404, code: 'in-service' })
  const { id } = await devices.addNote('pump', 'valve ordered')
  expect(await devices.notes('pump')).toMatchObject([{ id, text: 'valve ordered' }])
  await devices.removeNote('pump', id)
  expect(await devices.notes('pump')).toEqual([])
})
