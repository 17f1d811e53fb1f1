/** The table of the audit trail: filters, removal of old lines, a line whose detail comes later. */
import { beforeEach, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import { type AuditFilter, EVERY_LINE } from '../../src/audit/audit.ts'
import { HeldClock } from '../_support/clock.ts'
import { TemporaryStore } from '../_support/store.ts'

const admin = { clientId: 'admin', keyId: null, address: '192.0.2.7' }
const key = { clientId: 'robot', keyId: 3, address: '2001:db8::1' }

let clock: HeldClock
let store: TemporaryStore
beforeEach(() => {
  clock = new HeldClock(1000)
  store = new TemporaryStore({ clock })
})

const objects = async (filter: Partial<AuditFilter> = {}, limit = 100) =>
  (await store.audit.list({ ...EVERY_LINE, ...filter }, limit)).map(({ object }) => object)

test('audit store: a line → as it was written, after a restart too', async () => {
  const id = await store.audit.add(entryOf(key, 'client.change', 'ламп', { devices: ['a', 'b'] }))
  await store.reopen()
  expect(await store.audit.list(EVERY_LINE, 10)).toEqual([
    { id, atMs: 1000, by: key, action: 'client.change', object: 'ламп', detail: { devices: ['a', 'b'] } },
  ])
})

test('audit store: filters → the lines that fit, newest first', async () => {
  await store.audit.add(entryOf(admin, 'client.create', 'a'))
  clock.setWall(2000)
  await store.audit.add(entryOf(key, 'client.create', 'b'))
  clock.setWall(3000)
  const last = await store.audit.add(entryOf(admin, 'client.remove', 'c'))
  expect(await objects()).toEqual(['c', 'b', 'a'])
  expect(await objects({}, 2)).toEqual(['c', 'b'])
  expect(await objects({ before: last })).toEqual(['b', 'a'])
  expect(await objects({ clientId: 'admin' })).toEqual(['c', 'a'])
  expect(await objects({ action: 'client.create' })).toEqual(['b', 'a'])
  expect(await objects({ fromMs: 2000, toMs: 3000 })).toEqual(['b'])
})

test('audit store: purge → lines from before the time are gone, in several steps; no id is used again', async () => {
  const adds = Array.from({ length: 600 }, (_, n) => store.audit.add(entryOf(admin, 'client.create', `${n}`)))
  await Promise.all(adds)
  clock.setWall(2000)
  const last = await store.audit.add(entryOf(admin, 'client.create', 'young'))
  expect(await store.audit.newestMs()).toBe(2000)
  expect(await store.audit.purge(2000)).toBe(600)
  expect(await objects()).toEqual(['young'])
  expect(await store.audit.purge(2001)).toBe(1)
  expect(await store.audit.newestMs()).toBe(null)
  await store.reopen()
  expect(await store.audit.add(entryOf(admin, 'client.create', 'next'))).toBeGreaterThan(last)
})

test('audit store: the detail of a line comes later → it replaces the first one', async () => {
  const id = await store.audit.add(entryOf(admin, 'client.import', '7', { state: 'RUNNING' }))
  await store.audit.complete(id, { state: 'DONE', created: 2 })
  expect(await store.audit.list(EVERY_LINE, 10)).toMatchObject([{ detail: { state: 'DONE', created: 2 } }])
})
