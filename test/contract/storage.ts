/** Tests the contracts of every storage driver beside the messages: clients, keys, templates, audit trail, devices, state. */
import { beforeEach, describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import { type AuditFilter, EVERY_LINE } from '../../src/audit/audit.ts'
import type { KeyRecord } from '../../src/auth/api-keys.ts'
import type { ClientRecord } from '../../src/auth/clients.ts'
import { templateTermsOf } from '../../src/broker/vocabulary/term-table.ts'
import type { Storage } from '../../src/store/storage.ts'
import type { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { alertContract } from './storage-alerts.ts'
import { handoverContract } from './storage-handover.ts'
import { incidentContract } from './storage-incidents.ts'
import { noteContract } from './storage-notes.ts'
import { presenceContract } from './storage-presence.ts'

export interface StorageUnderTest<S extends Storage = Storage> {
  readonly storage: S
  readonly clock: HeldClock
  /** Closes the storage and opens the same data again. */
  reopen(): Promise<S>
}

const admin = { clientId: 'admin', keyId: null, address: '192.0.2.7' }
const key = { clientId: 'robot', keyId: 3, address: '2001:db8::1' }
const LIMITS = { messages: 1_000_000, bytes: 0 }
const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'

export function newClient(deviceId: string, parts: Partial<ClientRecord> = {}): Omit<ClientRecord, 'id'> {
  const plain = { passwordHash: 'x', role: 'DEVISE', description: '', devices: [], changedAtMs: 1 } as const
  return { ...plain, ownQueueOnly: null, deviceId, ...parts }
}

/** @param open opens an empty storage and removes it after the test */
export function storageContract(
  name: string,
  open: () => StorageUnderTest | Promise<StorageUnderTest>,
): void {
  describe(`storage contract beside messages, ${name}`, () => {
    let opened: StorageUnderTest
    let storage: Storage
    beforeEach(async () => {
      opened = await open()
      storage = opened.storage
    })
    const lines = (filter: Partial<AuditFilter> = {}, limit = 1_000) =>
      storage.audit.list({ ...EVERY_LINE, ...filter }, limit)
    const objects = async (filter: Partial<AuditFilter> = {}, limit?: number) =>
      (await lines(filter, limit)).map(({ object }) => object)

    describe('clients', () => {
      test('clients: added, replaced, removed → as written, oldest first, after a restart too', async () => {
        const full = newClient('pump', {
          description: HOSTILE,
          devices: ['a', 'plant/*'],
          ownQueueOnly: false,
        })
        const pump = await storage.clients.add(full)
        const boss = await storage.clients.add(newClient('boss', { role: 'MAN' }))
        const lamp = await storage.clients.add(newClient('lamp'), entryOf(admin, 'client.create', 'lamp'))
        expect(pump).toEqual({ id: pump.id, ...full })
        await storage.clients.replace({ ...boss, description: 'b', changedAtMs: 9 }, null, boss)
        await storage.clients.remove(lamp.id, entryOf(admin, 'client.remove', 'lamp'))
        storage = await opened.reopen()
        expect(await storage.clients.all()).toEqual([pump, { ...boss, description: 'b', changedAtMs: 9 }])
        expect(await objects()).toEqual(['lamp', 'lamp'])
        const next = await storage.clients.add(newClient('lamp'))
        expect(next.id).toBeGreaterThan(lamp.id)
      })

      test('clients: last logins → the newest of each, after a restart too; a client that was removed has none', async () => {
        const [pump, lamp, fan] = [
          await storage.clients.add(newClient('pump')),
          await storage.clients.add(newClient('lamp')),
          await storage.clients.add(newClient('fan')),
        ]
        expect(await storage.clients.lastLogins()).toEqual(new Map())
        await storage.clients.recordLogins([
          [lamp.id, 5],
          [pump.id, 7],
          [fan.id, 8],
          [999, 9],
        ])
        await storage.clients.recordLogins([[pump.id, 9]])
        await storage.clients.replace({ ...pump, description: 'new' }, null, pump)
        await storage.clients.remove(fan.id)
        storage = await opened.reopen()
        expect(await storage.clients.lastLogins()).toEqual(
          new Map([
            [pump.id, 9],
            [lamp.id, 5],
          ]),
        )
      })

      test('clients: a visit → the last login before it, whatever the number of its logins; none before the second', async () => {
        const { id } = await storage.clients.add(newClient('anna', { role: 'MAN' }))
        const HOUR = 3_600_000
        const previousAfter = async (atMs: number) => {
          await storage.clients.recordLogins([[id, atMs]])
          return storage.clients.previousLogin(id)
        }
        expect(await storage.clients.previousLogin(id)).toBeNull()
        expect(await previousAfter(10 * HOUR)).toBeNull()
        expect(await previousAfter(11 * HOUR - 1)).toBeNull()
        expect(await previousAfter(20 * HOUR)).toBe(11 * HOUR - 1)
        expect(await previousAfter(20 * HOUR + 60_000)).toBe(11 * HOUR - 1)
        storage = await opened.reopen()
        expect(await storage.clients.previousLogin(id)).toBe(11 * HOUR - 1)
        expect(await previousAfter(21 * HOUR + 60_000)).toBe(20 * HOUR + 60_000)
        expect(await storage.clients.previousLogin(999)).toBeNull()
      })

      test('clients: a taken device id → refused, nothing stored, also no line', async () => {
        const pump = await storage.clients.add(newClient('pump'))
        const lamp = await storage.clients.add(newClient('lamp'))
        const entry = entryOf(admin, 'client.create', 'pump')
        await expect(storage.clients.add(newClient('pump'), entry)).rejects.toThrow()
        await expect(storage.clients.replace({ ...lamp, deviceId: 'pump' }, entry, lamp)).rejects.toThrow()
        expect(await storage.clients.all()).toEqual([pump, lamp])
        expect(await lines()).toEqual([])
      })

      test('first admin: none, then one → stored once', async () => {
        const boss = newClient('boss', { role: 'MAN' })
        expect(await storage.clients.addFirstAdmin(boss)).toMatchObject(boss)
        expect(await storage.clients.addFirstAdmin(newClient('other', { role: 'MAN' }))).toBeNull()
        expect(await storage.clients.all()).toMatchObject([boss])
      })
    })

    describe('keys', () => {
      const record = (parts: Pick<KeyRecord, 'id' | 'clientId'>): KeyRecord => ({
        ...{ hash: `hash ${parts.id}`, description: HOSTILE, createdAtMs: 5, lastUsedAtMs: null },
        ...{ expiresAtMs: 7, ...parts },
      })

      test('keys: added, used, removed → as written, after a restart too; no id is used again', async () => {
        const { id: clientId } = await storage.clients.add(newClient('pump'))
        const one = record({ id: await storage.keys.nextId(), clientId })
        const two = record({ id: await storage.keys.nextId(), clientId })
        await storage.keys.add(one, entryOf(admin, 'key.create', 'pump'))
        await storage.keys.add(two, null)
        await storage.keys.recordUse(one.id, 77)
        await storage.keys.remove(two.id, entryOf(admin, 'key.remove', 'pump'))
        storage = await opened.reopen()
        expect(await storage.keys.all()).toEqual([{ ...one, lastUsedAtMs: 77 }])
        expect((await lines()).map(({ action }) => action)).toEqual(['key.remove', 'key.create'])
        expect(await storage.keys.nextId()).toBeGreaterThan(two.id)
      })

      test('keys: the client is unknown, or removed → refused, gone', async () => {
        const id = await storage.keys.nextId()
        await expect(storage.keys.add(record({ id, clientId: 99 }), null)).rejects.toThrow()
        const client = await storage.clients.add(newClient('pump'))
        await storage.keys.add(record({ id, clientId: client.id }), null)
        await storage.clients.remove(client.id)
        expect(await storage.keys.all()).toEqual([])
      })
    })

    test.each([2 ** 31, Number.MAX_SAFE_INTEGER])(
      'ids: %i, which no record has → unknown, nothing changes',
      async (id) => {
        const client = await storage.clients.add(newClient('pump'))
        const entry = entryOf(admin, 'client.remove', 'pump')
        // A driver may leave the check to its caller.
        const codeOf = (call: Promise<unknown>) =>
          call.then(
            () => 'unknown-client',
            ({ code }) => code,
          )
        expect(await codeOf(storage.clients.replace({ ...client, id }))).toBe('unknown-client')
        expect(await codeOf(storage.clients.remove(id))).toBe('unknown-client')
        const key = {
          clientId: id,
          hash: 'h',
          description: '',
          createdAtMs: 1,
          lastUsedAtMs: null,
          expiresAtMs: null,
        }
        expect(await codeOf(storage.keys.add({ ...key, id: 1 }, null))).not.toBe('22003')
        await storage.keys.remove(id, null)
        await storage.keys.recordUse(id, 1)
        expect(await storage.templates.list({ clientId: id })).toEqual([])
        expect(await storage.templates.get(id)).toBeNull()
        expect(await storage.templates.remove(id, entry)).toBe(false)
        expect(await lines({ before: id })).toEqual([])
        expect(await storage.messageLog.get(id)).toBeNull()
        expect(await storage.clients.all()).toEqual([client])
      },
    )

    test('templates: added, listed, removed → as written, newest first, a line for each change', async () => {
      const { id: clientId } = await storage.clients.add(newClient('pump'))
      const other = await storage.clients.add(newClient('lamp'))
      const template = { clientId, description: HOSTILE, command: HOSTILE, guarantee: 'ONLY_LAST' } as const
      const plain = { ...template, data: '{}', ...templateTermsOf({}) }
      const terms = { validSeconds: 60, finishSeconds: 600, maxAttempts: 3 }
      const limited = { ...plain, data: `{"a":"${'\\u0000'}"}`, ...terms }
      const { templates } = storage
      expect(await templates.add(limited)).toBe(1)
      expect(await templates.add(plain, entryOf(admin, 'template.create', null, { command: 'x' }))).toBe(2)
      const stored = { ...limited, id: 1, deviceId: 'pump' }
      expect(await templates.get(1)).toEqual(stored)
      expect(await templates.list({})).toEqual([{ ...plain, id: 2, deviceId: 'pump' }, stored])
      expect(await templates.list({ clientId: other.id })).toEqual([])
      expect(await templates.list({ deviceId: 'pump' })).toHaveLength(2)
      expect(await templates.add({ ...plain, clientId: 99 }, entryOf(admin, 'template.create', null))).toBe(
        null,
      )
      const changed = { ...plain, clientId: other.id, command: 'changed', maxAttempts: 9 }
      expect(await templates.replace(2, changed, entryOf(admin, 'template.change', 2))).toBe(true)
      expect(await templates.get(2)).toEqual({ ...changed, id: 2, deviceId: 'lamp' })
      expect(await templates.replace(2, plain)).toBe(true)
      expect(await templates.replace(77, plain, entryOf(admin, 'template.change', 77))).toBe(false)
      expect(
        await templates.replace(2, { ...plain, clientId: 99 }, entryOf(admin, 'template.change', 2)),
      ).toBe(false)
      expect(await templates.remove(77, entryOf(admin, 'template.remove', 77))).toBe(false)
      expect(await templates.remove(1, entryOf(admin, 'template.remove', 1))).toBe(true)
      expect(await templates.get(1)).toBeNull()
      expect(await objects()).toEqual(['1', '2', '2'])
      await storage.clients.remove(clientId)
      expect(await templates.list({})).toEqual([])
    })

    test('templates: for any device → without owner, changed to one, and not removed with a client', async () => {
      const client = await storage.clients.add(newClient('pump'))
      const content = { description: 'x', command: 'go', guarantee: 'NO', data: '{}' } as const
      const template = { ...content, ...templateTermsOf({}), clientId: null }
      const { templates } = storage
      const id = (await templates.add(template)) as number
      await storage.clients.remove(client.id)
      expect(await templates.list({})).toEqual([{ ...template, id, deviceId: null }])
      expect(await templates.list({ deviceId: 'pump' })).toEqual([])
      const { id: clientId } = await storage.clients.add(newClient('lamp'))
      expect(await templates.replace(id, { ...template, clientId })).toBe(true)
      expect(await templates.list({ deviceId: 'lamp' })).toHaveLength(1)
    })

    alertContract(() => opened)
    presenceContract(() => opened)
    noteContract(() => opened)
    handoverContract(() => opened)
    incidentContract(() => opened)

    describe('audit store', () => {
      test('audit store: a line → as it was written, reported once, after a restart too', async () => {
        opened.clock.setWall(1000)
        const reported: unknown[] = []
        storage.audit.onAdded((line) => reported.push(line))
        const id = await storage.audit.add(entryOf(key, 'client.change', 'ламп', { devices: ['a', HOSTILE] }))
        const line = { id, atMs: 1000, by: key, action: 'client.change', object: 'ламп' }
        expect(reported).toEqual([{ ...line, detail: { devices: ['a', HOSTILE] } }])
        storage = await opened.reopen()
        expect(await lines()).toEqual(reported)
      })

      test('audit store: filters → the lines that fit, newest first', async () => {
        opened.clock.setWall(1000)
        await storage.audit.add(entryOf(admin, 'client.create', 'a'))
        opened.clock.setWall(2000)
        await storage.audit.add(entryOf(key, 'client.create', 'b'))
        opened.clock.setWall(3000)
        const last = await storage.audit.add(entryOf(admin, 'client.remove', 'c'))
        expect(await objects()).toEqual(['c', 'b', 'a'])
        expect(await objects({}, 2)).toEqual(['c', 'b'])
        expect(await objects({ before: last })).toEqual(['b', 'a'])
        expect(await objects({ clientId: 'admin' })).toEqual(['c', 'a'])
        expect(await objects({ action: 'client.create' })).toEqual(['b', 'a'])
        expect(await objects({ object: 'b' })).toEqual(['b'])
        expect(await objects({ fromMs: 2000, toMs: 3000 })).toEqual(['b'])
      })

      test('audit store: purge → lines from before the time are gone, in several steps; no id is used again', async () => {
        opened.clock.setWall(1000)
        await Promise.all(
          Array.from({ length: 600 }, (_, n) => storage.audit.add(entryOf(admin, 'client.create', `${n}`))),
        )
        opened.clock.setWall(2000)
        const last = await storage.audit.add(entryOf(admin, 'client.create', 'young'))
        expect(await storage.audit.newestMs()).toBe(2000)
        expect(await storage.audit.purge(2000)).toBe(600)
        expect(await objects()).toEqual(['young'])
        expect(await storage.audit.purge(2001)).toBe(1)
        expect(await storage.audit.newestMs()).toBe(null)
        storage = await opened.reopen()
        expect(await storage.audit.add(entryOf(admin, 'client.create', 'next'))).toBeGreaterThan(last)
      })

      test('audit store: the detail of a line comes later → it replaces the first one', async () => {
        const id = await storage.audit.add(entryOf(admin, 'client.import', '7', { state: 'RUNNING' }))
        await storage.audit.complete(id, { state: 'DONE', created: 2 })
        expect(await lines()).toMatchObject([{ detail: { state: 'DONE', created: 2 } }])
      })
    })

    describe('devices', () => {
      const put = async (deviceId: string, atMs: number, command = 'go') => {
        opened.clock.setWall(atMs)
        return (await storage.messages.enqueue(message({ deviceId, command }), LIMITS)).id
      }

      test('devices: clients and owners of messages → by the bytes of their ids, page by page', async () => {
        for (const deviceId of ['b', 'ﬀ', '😀', 'C']) await storage.clients.add(newClient(deviceId))
        for (const [n, deviceId] of ['b', 'a', 'd', 'b'].entries()) await put(deviceId, n)
        const found: string[] = []
        for (let after: string | null = ''; after !== null; ) {
          const { items, next }: Awaited<ReturnType<typeof storage.devices.list>> =
            await storage.devices.list(after, 2, '')
          found.push(...items.map(({ deviceId }) => deviceId))
          after = next
        }
        expect(found).toEqual(['C', 'a', 'b', 'd', 'ﬀ', '😀'])
        const { items } = await storage.devices.list('', 10, 'c')
        expect(items.map(({ deviceId }) => deviceId)).toEqual(['C'])
      })

      test('device: its client, its queue, its newest message → as stored; unknown → nothing', async () => {
        const { id: clientId } = await storage.clients.add(newClient('pump'))
        await put('pump', 1_000)
        const id = await put('pump', 2_000, HOSTILE)
        const last = { id, command: HOSTILE, status: 'NOT_DELIVERED', atMs: 2_000 }
        expect(await storage.devices.get('pump')).toEqual({
          ...{ deviceId: 'pump', clientId, waiting: 2, oldestAtMs: 1_000, last },
        })
        expect(await storage.devices.get('none')).toEqual({
          ...{ deviceId: 'none', clientId: null, waiting: 0, oldestAtMs: null, last: null },
        })
      })

      test('owners of messages → by the bytes of their ids, page by page, clients not', async () => {
        await storage.clients.add(newClient('c'))
        for (const [n, deviceId] of ['😀', 'a', 'ﬀ', 'a'].entries()) await put(deviceId, n)
        expect(await storage.devices.owners('', 2)).toEqual({ items: ['a', 'ﬀ'], next: 'ﬀ' })
        expect(await storage.devices.owners('ﬀ', 2)).toEqual({ items: ['😀'], next: null })
        expect(await storage.devices.owners('😀', 2)).toEqual({ items: [], next: null })
      })

      test('queues → length and oldest message of each', async () => {
        const first = await put('pump', 1_000)
        await put('pump', 2_000)
        const queues = await storage.devices.queues()
        expect([queues.count, [...queues.devices()]]).toEqual([1, ['pump']])
        expect([queues.sizeOf('pump'), queues.oldestOf('pump')]).toEqual([2, first])
        expect([queues.sizeOf('lamp'), queues.oldestOf('lamp')]).toEqual([0, null])
        const stop = await put('pump', 3_000, HOSTILE)
        const commands = [
          { command: 'go', count: 2 },
          { command: HOSTILE, count: 1 },
        ]
        expect(await storage.devices.queue('pump', 2)).toEqual({ total: 3, ids: [first, stop - 1], commands })
        expect(await storage.devices.queue('lamp', 2)).toEqual({ total: 0, ids: [], commands: [] })
      })

      const poll = async (deviceId: string) => {
        const head = await storage.messages.head(deviceId)
        const rules = { durationsMs: [1_000], paced: false, deaf: false }
        return head && (await storage.messages.take(deviceId, head, rules))
      }
      const details = async (...ids: string[]) => await storage.devices.details(ids)

      test('details: attempts with the oldest message → in flight; from the second one on blocked', async () => {
        const id = await put('pump', 1_000, HOSTILE)
        const none = { flight: null, deliveryMs: null, waiting: 0, last: null }
        expect(await details('none', 'pump')).toMatchObject([
          none,
          { deviceId: 'pump', flight: null, waiting: 1 },
        ])
        await poll('pump')
        const attempt = { messageId: id, command: HOSTILE, maxAttempts: null }
        expect(await details('pump')).toMatchObject([
          { flight: { ...attempt, counted: 1, runningMs: expect.any(Number) } },
        ])
        expect(await storage.devices.blocked()).toEqual([])
        opened.clock.advance(1_000)
        await expect.poll(async () => (await storage.messages.head('pump'))?.attempt?.runningMs).toBe(0)
        await poll('pump')
        const [device] = await details('pump')
        expect(device?.flight).toMatchObject({ ...attempt, counted: 2 })
        expect(device?.flight?.firstAtMs).toBeLessThan(device?.flight?.atMs ?? 0)
        expect(await storage.devices.blocked()).toEqual(['pump'])
        storage = await opened.reopen()
        expect(await storage.devices.blocked()).toEqual(['pump'])
        expect((await details('pump'))[0]?.flight).toMatchObject({ ...attempt, counted: 2 })

        const by = { by: null, report: null }
        await storage.messages.acknowledge({ deviceId: 'pump', messageId: id, status: 'DELIVERED', ...by })
        expect(await storage.devices.blocked()).toEqual([])
        expect(await details('pump')).toMatchObject([{ flight: null, deliveryMs: expect.any(Number) }])
      })

      test('failed: a failure, a parked message, others → the first two', async () => {
        const [bad, parked, cancelled] = [await put('a', 1), await put('b', 2), await put('c', 3)]
        const by = { by: null, report: null }
        await storage.messages.acknowledge({
          ...{ deviceId: 'a', messageId: bad, status: 'COMPLETED_WITH_ERROR', ...by },
        })
        await poll('b')
        await storage.messages.park('b', { messageId: parked, number: 1 })
        await storage.messages.cancel(cancelled, { by: null, force: false })
        const failed = await storage.devices.failed()
        const changedAtMs = expect.any(Number)
        expect(failed.toSorted((x, y) => x.messageId - y.messageId)).toEqual([
          { messageId: bad, deviceId: 'a', isParked: false, changedAtMs },
          { messageId: parked, deviceId: 'b', isParked: true, changedAtMs },
        ])
      })

      test('state: pending messages of two devices → counted, the oldest of each', async () => {
        const { stats } = storage
        expect([await stats.pending(), await stats.oldest(5), await stats.counts()]).toEqual([
          ...[0, [], { messagesAtMost: 0, templates: 0 }],
        ])
        const ids = [await put('pump', 1_000), await put('pump', 2_000), await put('lamp', 3_000)]
        expect(await stats.pending()).toBe(3)
        expect(await stats.oldest(5)).toEqual([
          { messageId: ids[0], deviceId: 'pump', atMs: 1_000 },
          { messageId: ids[2], deviceId: 'lamp', atMs: 3_000 },
        ])
        expect(await stats.oldest(1)).toHaveLength(1)
        expect(await stats.counts()).toEqual({ messagesAtMost: 3, templates: 0 })
        expect(await stats.newest('UNKNOWN', 0, 5)).toEqual([])
        expect(await stats.unknown(0)).toEqual([])
        expect(await stats.failures(0)).toEqual([])
        expect(await stats.nearlyFull(5)).toEqual([])
        expect([await storage.metrics.delayed(), [...(await storage.metrics.parked())]]).toEqual([0, []])
        expect((await stats.space()).database).toBeGreaterThan(0)
      })
    })
  })
}
