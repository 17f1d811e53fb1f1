/** Tests what the storage reads for the hand-over: rows of a range, with hostile texts, and none from outside the range. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import { MAX_ITEMS } from '../../src/broker/contract/handover-store.ts'
import type {
  IncidentMember,
  NewIncident,
  NewIncidentLine,
} from '../../src/broker/contract/incident-store.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'
import { message } from '../_support/message.ts'
import type { StorageUnderTest } from './storage.ts'

const LIMITS = { messages: 1_000_000, bytes: 0 }
const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'
const HOUR = 3_600_000
const FROM = 100 * HOUR
const TO = 110 * HOUR
const RANGE = { fromMs: FROM, toMs: TO, beforeMs: 90 * HOUR }
const ANNA = { clientId: 'anna', keyId: null, address: '192.0.2.7' }
const NO_SIGHTING = { transport: null, pollSeconds: null }

/** @param current returns the empty storage of the present test */
export function handoverContract(current: () => StorageUnderTest): void {
  describe('hand-over', () => {
    const read = () => current().storage.handover.read(RANGE)

    test('hand-over: nothing is stored → all lists are empty', async () => {
      const none = { total: 0, rows: [] }
      expect(await read()).toEqual({
        ...{ incidents: [], failures: [], firstSeen: none, returned: [], events: [], services: [] },
        ...{ serviceLines: [], notes: none, changes: [], signIns: [] },
      })
    })

    test('hand-over: failures → by command, cause and reason, with those before and those sent again', async () => {
      const { storage, clock } = current()
      const { messages } = storage
      const fail = async (deviceId: string, atMs: number, reason: string | null, command = HOSTILE) => {
        clock.setWall(atMs)
        const { id: messageId } = await messages.enqueue(message({ deviceId, command }), LIMITS)
        const report =
          reason === null ? null : { ...NO_REPORT_TEXTS, reason, result: null, resultDropped: false }
        const status = 'COMPLETED_WITH_ERROR' as const
        await messages.acknowledge({ deviceId, messageId, status, by: null, report })
        return messageId
      }
      await fail('pump', 80 * HOUR, HOSTILE)
      await fail('pump', 95 * HOUR, HOSTILE)
      await fail('pump', 95 * HOUR, 'only before')
      await fail('pump', FROM, HOSTILE)
      await fail('lamp', 105 * HOUR, HOSTILE)
      const resent = await fail('lamp', 106 * HOUR, HOSTILE)
      await messages.enqueue({ ...message({ deviceId: 'lamp' }), links: { resentFrom: resent } }, LIMITS)
      await fail('fan', 107 * HOUR, null, 'open')
      await fail('fan', TO, null, 'open')
      const { failures } = await read()
      expect(failures).toMatchObject([
        { command: HOSTILE, cause: null, reason: HOSTILE, count: 3, resent: 1, devices: 2, before: 1 },
        { command: 'open', cause: null, reason: null, count: 1, resent: 0, devices: 1, before: 0 },
      ])
      expect(failures[1]?.lastMs).toBeGreaterThanOrEqual(107 * HOUR)
      clock.setWall(108 * HOUR)
      const { id } = await messages.enqueue(message({ deviceId: 'fan', command: 'open' }), LIMITS)
      const head = await messages.head('fan')
      if (head) await messages.take('fan', head, ATTEMPT)
      await messages.park('fan', { messageId: id, number: 1 })
      expect((await read()).failures).toContainEqual(
        expect.objectContaining({ command: 'open', cause: 'NOT_ACKNOWLEDGED', count: 1 }),
      )
    })

    test('hand-over: devices → first seen without people, silent no more, events of the range', async () => {
      const { storage, clock } = current()
      const { presence, clients, incidents } = storage
      const person = { ...CLIENT, deviceId: 'anna', role: 'MAN' as const }
      await clients.add(person)
      await clients.add({ ...CLIENT, deviceId: 'pump' })
      clock.setWall(TO)
      const { runId } = await presence.begin('1.0.0')
      const sighting = (deviceId: string, firstMs: number, lastMs = firstMs) => ({
        ...{ deviceId, firstAgeMs: TO - firstMs, ageMs: TO - lastMs, ...NO_SIGHTING },
      })
      const event = (number: number, kind: 'REFUSED' | 'FLAPPING', atMs: number, lastMs: number) => ({
        ...{ number, deviceId: HOSTILE, kind, ageMs: TO - atMs, lastAgeMs: TO - lastMs, count: number },
        detail: { reason: HOSTILE },
      })
      await presence.record(
        runId,
        {
          sightings: [
            ...[sighting('pump', FROM), sighting(HOSTILE, FROM + 1), sighting('anna', FROM + 2)],
            ...[sighting('old', FROM - 1, 105 * HOUR), sighting('gone', FROM - 2), sighting('late', TO)],
          ],
          periods: [],
          events: [
            event(1, 'REFUSED', FROM - HOUR, FROM - 1),
            event(2, 'REFUSED', FROM - HOUR, FROM),
            event(3, 'FLAPPING', 105 * HOUR, 106 * HOUR),
            event(4, 'REFUSED', TO, TO),
          ],
        },
        'ALIVE',
      )
      const members = [
        silent('old', 99 * HOUR, FROM),
        silent('gone', 98 * HOUR, FROM - 1),
        silent('away', FROM, null),
      ]
      await incidents.write([{ ...change(incident('AWAY')), members }])
      const { firstSeen, returned, events } = await read()
      expect(firstSeen).toEqual({
        total: 2,
        rows: [
          { deviceId: HOSTILE, atMs: FROM + 1 },
          { deviceId: 'pump', atMs: FROM },
        ],
      })
      expect(returned).toEqual([{ deviceId: 'old', atMs: FROM, sinceMs: 99 * HOUR }])
      const detail = { reason: HOSTILE }
      expect(events).toEqual([
        { deviceId: HOSTILE, kind: 'FLAPPING', lastMs: 106 * HOUR, count: 3, detail },
        { deviceId: HOSTILE, kind: 'REFUSED', lastMs: FROM, count: 2, detail },
      ])
    })

    test('hand-over: incidents → open ones and those that ended since, with the latest text of a person', async () => {
      const { incidents } = current().storage
      const ended = (key: string, endedMs: number, parts: Partial<NewIncident> = {}) =>
        incident(key, { state: 'ENDED', endedMs, ...parts })
      const lines: NewIncidentLine[] = [
        { kind: 'ACKNOWLEDGED', by: 'anna', text: 'a mechanic comes' },
        { kind: 'NOTE', by: HOSTILE, text: HOSTILE },
        { kind: 'GREW', by: null, text: 'a text of the server' },
      ]
      const ids = await incidents.write([
        { ...change(incident('DEVICE:a', { startedMs: 1 })), lines },
        change(incident('DEVICE:b', { startedMs: TO })),
        change(ended('DEVICE:c', FROM - 1)),
        change(ended('DEVICE:d', FROM)),
        change(ended('DEVICE:e', FROM, { mergedInto: 1 })),
      ])
      const found = (await read()).incidents
      expect(found).toEqual([
        { ...ended('DEVICE:d', FROM), id: ids?.[3], note: null },
        { ...incident('DEVICE:a', { startedMs: 1 }), id: ids?.[0], note: HOSTILE },
      ])
    })

    test('hand-over: people → services, notes, changes by person and action, sign-ins without devices', async () => {
      const { storage, clock } = current()
      const { clients, notes, messages, audit } = storage
      const anna = await clients.add({ ...CLIENT, deviceId: 'anna', role: 'MAN' })
      const bob = await clients.add({ ...CLIENT, deviceId: 'bob', role: 'READER' })
      const pump = await clients.add({ ...CLIENT, deviceId: 'pump' })
      await clients.recordLogins([
        [anna.id, 105 * HOUR],
        [bob.id, FROM - 1],
        [pump.id, 105 * HOUR],
      ])
      const serve = (deviceId: string, untilMs: number | null, end = false) => {
        const detail = end ? { end: true } : { reason: HOSTILE, untilDate: untilMs }
        const entry = entryOf(ANNA, 'device.service', deviceId, detail)
        const service = end ? null : { untilMs, reason: HOSTILE, by: 'anna' }
        return messages.changeService([{ deviceId, service, audit: entry }])
      }
      clock.setWall(50 * HOUR)
      await serve('ended-before', FROM - 1)
      await serve('by-date', 105 * HOUR)
      await serve(HOSTILE, null)
      await serve('back', null)
      await notes.add({ deviceId: 'pump', by: 'anna', text: 'too old' })
      clock.setWall(FROM)
      await serve('back', null, true)
      await notes.add({ deviceId: 'pump', by: HOSTILE, text: HOSTILE })
      await audit.add(entryOf(ANNA, 'message.resend', 'x', {}))
      clock.setWall(101 * HOUR)
      await audit.add(entryOf(ANNA, 'message.resend', 'y', {}))
      await audit.add(entryOf({ ...ANNA, clientId: null }, 'login.refused', 'z', {}))
      clock.setWall(TO)
      await audit.add(entryOf(ANNA, 'backup.download', 'x', {}))
      const found = await read()
      const by = 'anna'
      expect(found.services).toEqual([
        { deviceId: HOSTILE, sinceMs: 50 * HOUR, untilMs: null, reason: HOSTILE, by },
        { deviceId: 'by-date', sinceMs: 50 * HOUR, untilMs: 105 * HOUR, reason: HOSTILE, by },
      ])
      expect(found.serviceLines).toEqual([{ deviceId: 'back', atMs: FROM, by, detail: { end: true } }])
      const note = { deviceId: 'pump', atMs: FROM, by: HOSTILE, text: HOSTILE }
      expect(found.notes).toEqual({ total: 1, rows: [note] })
      expect(found.changes).toEqual([
        { by, action: 'message.resend', count: 2, lastMs: 101 * HOUR },
        { by, action: 'device.service', count: 1, lastMs: FROM },
      ])
      expect(found.signIns).toEqual([{ deviceId: 'anna', atMs: 105 * HOUR }])
    })

    test('hand-over: more notes than it shows → the newest, and the number of all', async () => {
      const { storage, clock } = current()
      for (let i = 0; i <= MAX_ITEMS; i++) {
        clock.setWall(FROM + i)
        await storage.notes.add({ deviceId: 'pump', by: null, text: String(i) })
      }
      const { notes } = await read()
      expect([notes.total, notes.rows.length, notes.rows[0]?.text]).toEqual([MAX_ITEMS + 1, MAX_ITEMS, '20'])
    })
  })
}

const CLIENT = {
  ...{ deviceId: '', passwordHash: 'x', role: 'DEVISE' as const, description: '', devices: [] },
  ...{ ownQueueOnly: null, changedAtMs: 1 },
}

const ATTEMPT = { durationsMs: [30_000], paced: false, deaf: false }

const incident = (key: string, parts: Partial<NewIncident> = {}): NewIncident => ({
  ...{ key, kind: 'DEVICE', state: 'OPEN', startedMs: 99 * HOUR, changedMs: 99 * HOUR, endedMs: null },
  ...{ devices: 1, messages: 2, waiting: 3, mostDevices: 4, mostMessages: 5 },
  ...{ ack: null, mutedUntilMs: null, reopened: 0, mergedInto: null },
  ...parts,
})

const change = (after: NewIncident) => {
  return { before: null, after, members: [], movedKeys: [], lines: [] }
}

const silent = (deviceId: string, firstMs: number, missingSinceMs: number | null): IncidentMember => ({
  ...{ key: `DEVICE_SILENT:${deviceId}`, kind: 'DEVICE_SILENT', deviceId, messageId: null, command: null },
  ...{ reason: null, address: null, firstMs, missingSinceMs, endedMs: null, count: null },
})
