/** The suite of what nodes share: a driver passes it with two nodes of one installation. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ImportReport } from '../../src/auth/import-report.ts'
import type { News } from '../../src/broker/contract/cluster.ts'
import type { SharedState } from '../../src/store/shared-state.ts'
import type { ListedConnection } from '../../src/transport/connections.ts'
import { eventually } from '../_support/eventually.ts'

export interface SharedUnderTest {
  readonly a: SharedState
  readonly b: SharedState
  /** Returns the news that node A received, the oldest first. */
  news(): Promise<readonly News[]>
  /** Ends node B as a crash does. */
  killB(): Promise<void>
}

const ID = 'lamp\none \uf8ff'
const HOUR = 3_600

export function sharedStateSuite(open: () => Promise<SharedUnderTest>): void {
  let a: SharedState
  let b: SharedState
  let under: SharedUnderTest
  beforeEach(async () => {
    under = await open()
    a = under.a
    b = under.b
  })

  const take = (node: SharedState, isClean = false, expirySeconds = HOUR) =>
    node.sessions.take({ sessionId: ID, isClean, expirySeconds })

  describe('session', () => {
    test('taken by another node → a larger fence, its subscriptions, and news for the first', async () => {
      const first = await take(a)
      expect(first).toMatchObject({ previous: null, subscriptions: null })
      await a.sessions.keep(ID, first.fence, '[1]')
      const second = await take(b)
      expect(second).toEqual({ fence: expect.any(Number), previous: first.fence, subscriptions: '[1]' })
      expect(second.fence).toBeGreaterThan(first.fence)
      await eventually(async () =>
        expect(await under.news()).toEqual([
          { is: 'session-taken', sessionId: ID, fence: second.fence, isClean: false },
        ]),
      )
    })

    test('calls with an earlier fence → nothing changes', async () => {
      const first = await take(a)
      const second = await take(b)
      await b.sessions.keep(ID, second.fence, '[2]')
      await a.sessions.keep(ID, first.fence, '[1]')
      await a.sessions.release(ID, first.fence, 0)
      expect(await take(a)).toMatchObject({ previous: second.fence, subscriptions: '[2]' })
    })

    test('released → it stays until its expiry; a clean start discards it', async () => {
      const first = await take(a)
      await a.sessions.keep(ID, first.fence, '[1]')
      await a.sessions.release(ID, first.fence, HOUR)
      const second = await take(b)
      expect(second.subscriptions).toBe('[1]')
      expect(await take(a, true)).toMatchObject({ previous: null, subscriptions: null })
    })

    test('one that ends with its connection → no subscriptions for the next; released → gone', async () => {
      const first = await take(a, false, 0)
      await a.sessions.keep(ID, first.fence, '[1]')
      const second = await take(b, false, 0)
      expect(second).toMatchObject({ previous: first.fence, subscriptions: null })
      await b.sessions.release(ID, second.fence, 0)
      expect((await take(a)).previous).toBeNull()
    })

    test('five hundred claims by both nodes at once → the fences of each session grow', async () => {
      const claims = Array.from({ length: 500 }, (_, i) =>
        (i % 2 ? a : b).sessions.take({ sessionId: `x\n${i % 50}`, isClean: false, expirySeconds: HOUR }),
      )
      const taken = await Promise.all(claims)
      expect(new Set(taken.map(({ fence }) => fence)).size).toBe(500)
      // Each claim but the first of a session names exactly one earlier one.
      const previous = taken.map(({ previous }) => previous).filter((each) => each !== null)
      expect([previous.length, new Set(previous).size]).toEqual([450, 450])
    })
  })

  const connection = (node: SharedState, number: number, deviceId: string): ListedConnection => ({
    ...{ id: node.cluster.nodeId * 2 ** 32 + number, deviceId, clientId: 'one', devices: [deviceId] },
    ...{ address: '::1', transport: 'TCP', protocol: 'MQTT', version: '5', sinceMs: 1, lastPacketAtMs: 2 },
    ...{ subscriptions: 3, deviceCount: 1 },
  })

  test('connections: of another node → listed, counted and found, until it removes them or ends', async () => {
    const [lamp, panel] = [connection(b, 1, 'lamp'), connection(b, 2, 'panel')]
    await Promise.all([b.connections.put(panel), b.connections.put(lamp)])
    await a.connections.put(connection(a, 1, 'lamp'))
    expect(await a.connections.list(0, 10, null)).toEqual([lamp, panel])
    expect(await a.connections.list(lamp.id, 10, null)).toEqual([panel])
    expect(await a.connections.list(0, 1, null)).toEqual([lamp])
    expect(await a.connections.list(0, 10, 'panel')).toEqual([panel])
    expect(await a.connections.search(0, 1, { search: '' })).toEqual({ items: [lamp], total: 2 })
    expect(await a.connections.search(0, 10, { search: 'ANE' })).toEqual({ items: [panel], total: 1 })
    expect(await a.connections.search(0, 10, { search: '::' })).toMatchObject({ total: 2 })
    expect(await a.connections.search(0, 10, { search: '', deviceId: 'lamp' })).toMatchObject({ total: 1 })
    expect([await a.connections.count(), await a.connections.get(panel.id)]).toEqual([2, panel])
    await b.connections.remove(lamp.id)
    expect(await a.connections.list(0, 10, null)).toEqual([panel])
    await under.killB()
    expect([await a.connections.count(), await a.connections.get(panel.id)]).toEqual([0, null])
  })

  test('presence: a device connects to another node → known and reported, until it leaves or the node ends', async () => {
    const change = { deviceId: 'lamp \uf8ff', connected: true, transport: 'MQTT', atMs: 5 }
    await b.presence.put(change)
    await b.presence.put({ ...change, deviceId: 'panel' })
    const nodeId = b.cluster.nodeId
    expect(await a.presence.connected()).toEqual(
      expect.arrayContaining([{ nodeId, deviceId: 'lamp \uf8ff', transport: 'MQTT' }]),
    )
    await b.presence.put({ ...change, connected: false })
    expect(await a.presence.connected()).toEqual([{ nodeId, deviceId: 'panel', transport: 'MQTT' }])
    await eventually(async () => expect((await under.news())[0]).toEqual({ is: 'presence', ...change }))
    expect(await a.presence.livingNodes()).toContain(nodeId)
    await under.killB()
    expect(await a.presence.livingNodes()).not.toContain(nodeId)
    expect(await a.presence.connected()).toEqual([])
  })

  test('presence: devices seen on another node → read once, with the latest time', async () => {
    await b.presence.seen([{ deviceId: 'lamp', atMs: 5 }])
    await b.presence.seen([{ deviceId: 'lamp', atMs: 7 }])
    const { devices, cursor } = await a.presence.seenSince(null)
    expect(devices.at(-1)).toEqual({ deviceId: 'lamp', atMs: 7 })
    await b.presence.seen([{ deviceId: 'panel', atMs: 1 }])
    expect((await a.presence.seenSince(cursor)).devices).toContainEqual({ deviceId: 'panel', atMs: 1 })
  })

  test('rejections: of one peer on both nodes → one entry, with the newest message', async () => {
    const entry = {
      ...({ reason: 'WRONG_CREDENTIALS', message: 'new', deviceId: 'a\0b', clientId: null } as const),
      ...{ address: '::1', transport: 'REST', count: 2, firstAtMs: 5, atMs: 9 },
    }
    await a.rejections.add([entry])
    await b.rejections.add([{ ...entry, message: 'old', firstAtMs: 3, atMs: 4 }])
    expect(await b.rejections.all()).toEqual([{ ...entry, count: 4, firstAtMs: 3 }])
  })

  test('listeners: announced → another node finds the address until the node ends', async () => {
    await a.listeners.announce({ scheme: 'mqtt', host: null, port: 1 })
    await b.listeners.announce({ scheme: 'mqtt', host: '10.0.0.1', port: 1 })
    await b.listeners.announce({ scheme: 'mqtts', host: 'b.example', port: 2 })
    const { nodeId } = b.cluster
    expect(await a.listeners.others()).toEqual([{ nodeId, scheme: 'mqtts', host: 'b.example', port: 2 }])
    const [first] = await b.listeners.others()
    expect(first).toEqual({ nodeId: a.cluster.nodeId, scheme: 'mqtt', host: '127.0.0.1', port: 1 })
    await eventually(async () => expect(await under.news()).toContainEqual({ is: 'node-listens' }))
    await under.killB()
    expect(await a.listeners.others()).toEqual([])
  })

  test('retained: the last call wins on both nodes; a removal removes; news for the other node', async () => {
    const entry = { topic: 't/\uf8ff', content: '{"x":"\\u0000"}', expiresAtMs: null }
    const later = { ...entry, content: '2', expiresAtMs: Date.now() + 60_000 }
    const heard: (string | null)[] = []
    const unsubscribe = a.retained.watch((topic) => void heard.push(topic))
    await b.retained.put(entry)
    expect(await a.retained.read([entry.topic, 't/none'])).toEqual([entry])
    await a.retained.put(later)
    await b.retained.put({ ...entry, topic: 't/1' })
    await b.retained.put({ ...entry, topic: 't/0' })
    const topics = async (after: string, limit: number): Promise<string[]> =>
      (await b.retained.list(after, limit)).map(({ topic }) => topic)
    expect([await topics('', 2), await topics('t/1', 2)]).toEqual([['t/0', 't/1'], [entry.topic]])
    expect(await b.retained.read([entry.topic])).toEqual([later])
    await b.retained.put({ ...entry, content: null })
    await b.retained.put({ ...entry, content: null })
    expect(await a.retained.read([entry.topic])).toEqual([])
    await eventually(async () => expect(heard).toEqual(expect.arrayContaining([entry.topic, 't/0', 't/1'])))
    unsubscribe()
  })

  test('retained: many calls of both nodes at once → each topic has one of its messages', async () => {
    const calls = Array.from({ length: 200 }, (_, i) =>
      (i % 2 ? a : b).retained.put({ topic: `t/${i % 20}`, content: `${i}`, expiresAtMs: null }),
    )
    await Promise.all(calls)
    const entries = await a.retained.list('', 100)
    expect(entries).toHaveLength(20)
    for (const { topic, content } of entries) expect(`t/${Number(content) % 20}`).toBe(topic)
  })

  test('imports: the report of another node → shown, and STOPPED when that node ends', async () => {
    const report: ImportReport = {
      ...{ id: 7, state: 'RUNNING', lines: 2, done: 0, created: 0, changed: 0, unchanged: 0 },
      refused: [],
    }
    expect(await b.imports.begin(report)).toBe(7)
    await b.imports.save({ ...report, done: 1 })
    expect(await a.imports.get(7)).toEqual({ ...report, done: 1 })
    expect(await a.imports.get(9)).toBeNull()
    await under.killB()
    expect((await a.imports.get(7))?.state).toBe('STOPPED')
  })

  test('imports: both nodes begin one at once → the second is refused, until the first is over or its node ends', async () => {
    const report: ImportReport = {
      ...{ id: 7, state: 'RUNNING', lines: 2, done: 0, created: 0, changed: 0, unchanged: 0 },
      refused: [],
    }
    const results = await Promise.allSettled([b.imports.begin(report), a.imports.begin(report)])
    const refused = results.filter((each) => each.status === 'rejected')
    expect(refused.map(({ reason }) => reason.code)).toEqual(['import-running'])
    const [first, second] = results[0]?.status === 'fulfilled' ? [b, a] : [a, b]
    await first.imports.save({ ...report, state: 'DONE' })
    expect(await second.imports.begin(report)).toBe(8)
    await second.imports.save({ ...report, id: 8, state: 'DONE' })
    expect(await b.imports.begin(report)).toBe(9)
    await expect(a.imports.begin(report)).rejects.toMatchObject({ code: 'import-running' })
    await under.killB()
    expect(await a.imports.begin(report)).toBe(10)
  })
}
