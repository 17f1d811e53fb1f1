/** Tests what the storage keeps for incidents: changes that are based on a state, members, history, rules. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../src/audit/actor.ts'
import { EVERY_LINE } from '../../src/audit/audit.ts'
import type {
  IncidentChange,
  IncidentFilter,
  IncidentMember,
  IncidentRule,
  NewIncident,
} from '../../src/broker/contract/incident-store.ts'
import type { MessageSearch } from '../../src/broker/contract/message-search.ts'
import { message } from '../_support/message.ts'
import type { StorageUnderTest } from './storage.ts'

const admin = { clientId: 'admin', keyId: null, address: '192.0.2.7' }
const LIMITS = { messages: 1_000, bytes: 0 }
const HOSTILE = 'a\0b\uf8ff0 ламп 🙂 "\\u0000"'
const ALL: IncidentFilter = {
  ...{ isEnded: false, state: null, kind: null, deviceId: null, fromMs: null, toMs: null, beforeId: null },
}

const incident = (key: string, parts: Partial<NewIncident> = {}): NewIncident => ({
  ...{ key, kind: 'DEVICE', state: 'OPEN', startedMs: 1_000, changedMs: 1_000, endedMs: null },
  ...{ devices: 1, messages: 2, waiting: 3, mostDevices: 4, mostMessages: 5 },
  ...{ ack: null, mutedUntilMs: null, reopened: 0, mergedInto: null },
  ...parts,
})

const member = (deviceId: string, parts: Partial<IncidentMember> = {}): IncidentMember => ({
  ...{ key: `DEVICE_DEAF:${deviceId}`, kind: 'DEVICE_DEAF', deviceId, messageId: 7, command: HOSTILE },
  ...{ reason: HOSTILE, address: null, firstMs: 900, missingSinceMs: null, endedMs: null, count: 2 },
  ...parts,
})

const change = (after: NewIncident, parts: Partial<IncidentChange> = {}): IncidentChange => {
  return { before: null, after, members: [], movedKeys: [], lines: [], ...parts }
}

/** @param current returns the empty storage of the present test */
export function incidentContract(current: () => StorageUnderTest): void {
  describe('incidents', () => {
    const begin = async (
      key: string,
      members: readonly IncidentMember[],
      parts: Partial<NewIncident> = {},
    ) => {
      const lines = [{ kind: 'STARTED', by: null, text: null }] as const
      const ids = await current().storage.incidents.write([change(incident(key, parts), { members, lines })])
      return (ids as readonly number[])[0] as number
    }

    test('incidents: a new one with an acknowledgement, members and a line → as written, after a restart too', async () => {
      const ack = { by: HOSTILE, atMs: 1_100, note: HOSTILE, devices: 1, messages: 2 }
      const after = incident(`DEVICE:${HOSTILE}`, { ack, state: 'ACKNOWLEDGED', changedMs: 1_200 })
      const members = [member('a'), member(HOSTILE)].sort((one, other) => (one.key < other.key ? -1 : 1))
      const lines = [
        { kind: 'STARTED', by: null, text: null },
        { kind: 'ACKNOWLEDGED', by: HOSTILE, text: HOSTILE },
      ] as const
      const { storage } = current()
      const entry = entryOf(admin, 'incident.acknowledge', '1', {})
      const [id] = (await storage.incidents.write([change(after, { members, lines })], entry)) ?? []
      const { incidents, audit } = await current().reopen()
      expect(await incidents.current(0)).toEqual([{ incident: { ...after, id }, members }])
      expect(await incidents.get(id as number)).toEqual({ ...after, id })
      expect(await incidents.members(id as number, '', 9)).toEqual(members)
      expect(await incidents.members(id as number, members[0]?.key ?? '', 9)).toEqual(members.slice(1))
      expect(await incidents.lines(id as number, 9)).toMatchObject(
        lines.map((line) => ({ ...line, atMs: 1_200 })),
      )
      expect(await incidents.lines(id as number, 1)).toMatchObject([lines[1]])
      const covered = members.map(({ kind, key, deviceId }) => ({ kind, key, deviceId, ack }))
      const byKey = (one: { key: string }, other: { key: string }) => (one.key < other.key ? -1 : 1)
      expect([...(await incidents.covered())].sort(byKey)).toEqual(covered)
      expect((await audit.list(EVERY_LINE, 9)).map(({ action }) => action)).toEqual(['incident.acknowledge'])
      expect(await incidents.newestMs()).toBe(1_200)
    })

    test('incidents: a change that is based on an older state → nothing is written, no audit line either', async () => {
      const { incidents, audit } = current().storage
      const [one, two] = [await begin('DEVICE:a', [member('a')]), await begin('DEVICE:b', [member('b')])]
      const after = incident('DEVICE:a', { changedMs: 2_000, waiting: 9 })
      const good = change(after, { before: { id: one, changedMs: 1_000 } })
      const late = change(incident('DEVICE:b'), { before: { id: two, changedMs: 999 } })
      expect(await incidents.write([good, late], entryOf(admin, 'incident.mute', '1', {}))).toBeNull()
      expect(await incidents.get(one)).toMatchObject({ waiting: 3, changedMs: 1_000 })
      expect(await audit.list(EVERY_LINE, 9)).toEqual([])
      expect(await incidents.write([good])).toEqual([one])
      expect(await incidents.write([good])).toBeNull()
      expect(await incidents.get(one)).toMatchObject({ waiting: 9, changedMs: 2_000 })
    })

    test('incidents: one takes another one in, and a third begins with the freed key → in one transaction', async () => {
      const { incidents } = current().storage
      const [one, two] = [await begin('AWAY:a', [member('a')]), await begin('AWAY:b', [member('b')])]
      const ended = { state: 'ENDED', endedMs: 2_000, changedMs: 2_000, mergedInto: one } as const
      const ids = await incidents.write([
        change(incident('AWAY:b', ended), {
          before: { id: two, changedMs: 1_000 },
          movedKeys: ['DEVICE_DEAF:b'],
        }),
        change(incident('OUTAGE:gw', { kind: 'OUTAGE', changedMs: 2_000 }), {
          before: { id: one, changedMs: 1_000 },
          members: [member('a', { endedMs: 2_000 }), member('b')],
        }),
        change(incident('AWAY:a', { changedMs: 2_000 }), { members: [member('a')] }),
      ])
      const three = ids?.[2] as number
      const open = (await incidents.current(2_001)).map(({ incident: { id, key }, members }) => {
        return [id, key, members.map((each) => each.key)]
      })
      expect(open).toEqual([
        [one, 'OUTAGE:gw', ['DEVICE_DEAF:b']],
        [three, 'AWAY:a', ['DEVICE_DEAF:a']],
      ])
      expect(await incidents.members(two, '', 9)).toEqual([])
      expect(await incidents.members(one, '', 9)).toHaveLength(2)
    })

    test('incidents: ended ones → current while they are recent, or a member lasts; removed after their time', async () => {
      const { incidents } = current().storage
      const ended = (endedMs: number) => ({ state: 'ENDED', endedMs }) as const
      const old = await begin('DEVICE:a', [member('a', { endedMs: 3 })], ended(3))
      const remembered = await begin('DEVICE:b', [member('b')], ended(4))
      const recent = await begin('DEVICE:c', [], ended(50))
      const open = await begin('DEVICE:d', [member('d')])
      const ids = async (sinceMs: number) =>
        (await incidents.current(sinceMs)).map((each) => each.incident.id)
      expect(await ids(50)).toEqual([remembered, recent, open])
      const listed = await incidents.list({ ...ALL, isEnded: true }, 2)
      expect(listed.map(({ id }) => id)).toEqual([recent, remembered])
      expect(await incidents.purge(50)).toBe(2)
      expect(await incidents.get(old)).toBeNull()
      expect(await incidents.members(old, '', 9)).toEqual([])
      expect(await ids(0)).toEqual([recent, open])
    })

    test('incidents: lists by state, kind, device, start and id → the matching ones, newest first', async () => {
      const { incidents } = current().storage
      const a = await begin('DEVICE:a', [member('a')])
      const muted = { state: 'MUTED', mutedUntilMs: 9, startedMs: 2_000 } as const
      const b = await begin('DEVICE:b', [member(HOSTILE)], muted)
      const c = await begin('AWAY', [member('c')], { kind: 'AWAY', startedMs: 3_000 })
      const ids = async (parts: Partial<IncidentFilter>, limit = 9) =>
        (await incidents.list({ ...ALL, ...parts }, limit)).map(({ id }) => id)
      expect(await ids({})).toEqual([c, b, a])
      expect(await ids({}, 2)).toEqual([c, b])
      expect(await ids({ state: 'MUTED' })).toEqual([b])
      expect(await ids({ kind: 'AWAY' })).toEqual([c])
      expect(await ids({ deviceId: HOSTILE })).toEqual([b])
      expect(await ids({ fromMs: 2_000, toMs: 3_000 })).toEqual([b])
      expect(await ids({ beforeId: b })).toEqual([a])
      const counts = [...(await incidents.counts())].sort((one, other) =>
        one.state.localeCompare(other.state),
      )
      expect(counts).toHaveLength(3)
      expect(counts[0]).toEqual({ kind: 'DEVICE', state: 'MUTED', count: 1 })
    })

    test('incidents: a search for the messages of one → its failures while they were members, no others', async () => {
      const { clock, storage } = current()
      const { messages, searches } = storage
      const fail = async (deviceId: string, command: string, atMs: number): Promise<number> => {
        clock.setWall(atMs - 1)
        const { id: messageId } = await messages.enqueue(message({ deviceId, command }), LIMITS)
        clock.setWall(atMs)
        await messages.acknowledge({
          messageId,
          deviceId,
          status: 'COMPLETED_WITH_ERROR',
          by: null,
          report: null,
        })
        return messageId
      }
      const early = await fail('a', HOSTILE, 1_000)
      const first = await fail('a', HOSTILE, 2_000)
      const second = await fail('a', HOSTILE, 3_000)
      const late = await fail('a', HOSTILE, 4_000)
      const of = { b: await fail('b', HOSTILE, 2_500), c: await fail('c', HOSTILE, 2_500) }
      const shut = await fail('a', 'shut', 2_500)
      const failed = (deviceId: string, command: string, parts: Partial<IncidentMember>) =>
        member(deviceId, { key: `FAILED:${deviceId}:${command}`, kind: 'FAILED', command, ...parts })
      const one = await begin(`FAILED:${HOSTILE}`, [
        failed('a', HOSTILE, { firstMs: 2_000, endedMs: 3_500 }),
        failed('b', HOSTILE, { firstMs: 2_500 }),
        failed('c', HOSTILE, { kind: 'PARKED', key: `PARKED:c:${HOSTILE}`, firstMs: 2_500 }),
      ])
      const two = await begin('FAILED:shut', [failed('a', 'shut', { firstMs: 2_500 })])
      const { signal } = new AbortController()
      const ids = async (search: MessageSearch) =>
        (await searches.page(search, 99, signal)).items.map(({ id }) => id)
      expect(await ids({ incidentId: one })).toEqual([of.b, second, first])
      expect(await ids({ incidentId: one, deviceIds: ['b', 'c'] })).toEqual([of.b])
      expect(await ids({ incidentId: two })).toEqual([shut])
      expect(await ids({ incidentId: two + 1 })).toEqual([])
      expect(await searches.count({ incidentId: one, changedToMs: 2_500 }, signal)).toMatchObject({
        count: 1,
      })
      expect([early, late]).not.toContain(first)
    })

    test('incidents of a device: from its first signal to its last one, or to the end of the incident → within a time alone', async () => {
      const { incidents } = current().storage
      const signal = (key: string, firstMs: number, endedMs: number | null) =>
        member(HOSTILE, { key, firstMs, endedMs })
      const one = await begin('one', [signal('1a', 900, 1_500), signal('1b', 1_200, 2_000), member('other')])
      const two = await begin('two', [signal('2a', 3_000, null), signal('2b', 2_500, 2_600)])
      const ended = { state: 'ENDED', endedMs: 4_000 } as const
      const three = await begin('three', [signal('3a', 3_500, null)], ended)
      const found = (fromMs: number, toMs: number, limit = 9) =>
        incidents.ofDevice(HOSTILE, fromMs, toMs, limit)
      expect(await found(0, 9_000)).toEqual([
        { id: three, key: 'three', beganMs: 3_500, endedMs: 4_000 },
        { id: two, key: 'two', beganMs: 2_500, endedMs: null },
        { id: one, key: 'one', beganMs: 900, endedMs: 2_000 },
      ])
      expect((await found(0, 9_000, 1)).map(({ id }) => id)).toEqual([three])
      expect((await found(2_001, 3_500)).map(({ id }) => id)).toEqual([two])
      expect((await found(2_000, 2_500)).map(({ id }) => id)).toEqual([one])
    })

    test('incidents: kinds of members → of those that last, and of all after the end; open ones by incident', async () => {
      const { incidents } = current().storage
      const [parked, gone] = [
        { kind: 'PARKED', key: 'P' },
        { kind: 'WAITING_LONG', key: 'W', endedMs: 2 },
      ] as const
      const one = await begin('DEVICE:a', [member('a'), member(HOSTILE, parked), member('a', gone)])
      const over = [member('b', { endedMs: 5 }), member('b', { ...parked, key: 'O', endedMs: 5 })]
      const two = await begin('DEVICE:b', over, { endedMs: 5, state: 'ENDED' })
      const three = await begin('DEVICE:c', [])
      expect([...(await incidents.signalsOf([one, two, three, 999]))].sort()).toEqual([
        [one, ['DEVICE_DEAF', 'PARKED']],
        [two, ['DEVICE_DEAF', 'PARKED']],
      ])
      expect([...(await incidents.signalsOf([]))]).toEqual([])
      const open = [...(await incidents.openSignals())].sort((a, b) => (a.key < b.key ? -1 : 1))
      expect(open).toEqual([
        { kind: 'DEVICE_DEAF', key: 'DEVICE_DEAF:a', deviceId: 'a', incidentId: one },
        { kind: 'PARKED', key: 'P', deviceId: HOSTILE, incidentId: one },
      ])
    })

    test('incidents: by the times of their changes → those after a change, also ended ones', async () => {
      const { incidents } = current().storage
      const one = await begin('A', [], { changedMs: 3_000 })
      const two = await begin('B', [], { changedMs: 2_000, endedMs: 2_000, state: 'ENDED' })
      const three = await begin('C', [], { changedMs: 2_000 })
      const idsAfter = async (changedMs: number, id: number, limit = 9) =>
        (await incidents.changedAfter({ changedMs, id }, limit)).map((each) => each.id)
      expect(await idsAfter(2_000, 0)).toEqual([two, three, one])
      expect(await idsAfter(2_000, two)).toEqual([three, one])
      expect(await idsAfter(2_000, 0, 2)).toEqual([two, three])
      expect(await idsAfter(2_001, 0)).toEqual([one])
      expect(await idsAfter(3_000, one)).toEqual([])
    })

    test('incident rules: replaced → as written', async () => {
      const { incidents } = current().storage
      const none = { start: null, end: null, quietSeconds: null, minMessages: null }
      const rule: IncidentRule = { kind: 'FAILED', isEnabled: false, ...none, minMessages: 3 }
      await incidents.setRules([{ ...rule, kind: 'PARKED' }])
      await incidents.setRules(
        [
          rule,
          { kind: 'WAITING_LONG', isEnabled: true, start: 60, end: 30, quietSeconds: 5, minMessages: null },
        ],
        entryOf(admin, 'incident.rules', null, {}),
      )
      expect(await incidents.rules()).toEqual([
        rule,
        { kind: 'WAITING_LONG', isEnabled: true, start: 60, end: 30, quietSeconds: 5, minMessages: null },
      ])
    })
  })
}
