/** /admin/api/events: the feed of changes, and its stream over REST. */
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Batch, Feed, HEARTBEAT_MS, MOST_READERS } from '../../src/broker/feed.ts'
import { Presence } from '../../src/broker/presence.ts'
import type { Transitioned } from '../../src/broker/store.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { EventStream, type ServerEvent } from '../_support/events.ts'
import { eventually } from '../_support/eventually.ts'
import { tokenOf } from '../_support/rest.ts'

const READY = { type: 'ready', data: {} }
const GAP = { type: 'gap', data: {} }

describe(`the stream, adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  const open = (lastId?: string, as = broker.token): Promise<EventStream> =>
    EventStream.open(`${broker.server.url}/admin/api/events`, {
      authorization: `Bearer ${as}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    })
  const message = (id: number, deviseId: string, deliveryStatus: string): ServerEvent => ({
    type: 'message',
    data: { id, deviseId, deliveryStatus },
  })

  test('tells of each message that is stored or changes', async () => {
    const events = await open()
    expect(events.response.status).toBe(200)
    expect(events.response.headers.get('content-type')).toBe('text/event-stream')
    expect(events.response.headers.get('cache-control')).toBe('no-store')
    expect(await events.next()).toEqual(READY)

    const first = await broker.send('pump', { command: 'go' })
    const last = await broker.send('pump', { command: 'go', believerGuarantee: 'ONLY_LAST' })
    await broker.acknowledge('pump', { id: last, deliveryStatus: 'COMPLETED' })
    const no = await broker.send('pump', { command: 'no', believerGuarantee: 'NO' })
    await broker.poll('pump')
    for (const event of [
      message(first, 'pump', 'NOT_DELIVERED'),
      message(last, 'pump', 'NOT_DELIVERED'),
      message(first, 'pump', 'CANCELLED'),
      message(last, 'pump', 'COMPLETED'),
      message(no, 'pump', 'NOT_DELIVERED'),
      message(no, 'pump', 'DELIVERED'),
    ])
      expect(await events.next()).toEqual(event)
  })

  test('at most a hundred read it at a time', async () => {
    const streams = await Promise.all(Array.from({ length: MOST_READERS }, () => open()))
    for (const stream of streams) expect(await stream.next()).toEqual(READY)
    const refused = await broker.rest.get('/admin/api/events')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    for (const stream of streams) stream.leave()
    const again = await eventually(async () => {
      const stream = await open()
      expect(stream.response.status).toBe(200)
      return stream
    })
    expect(await again.next()).toEqual(READY)
  })

  test('goes on where another one ended', async () => {
    const first = await open()
    await first.next()
    const [a] = [await broker.send('resumed', { command: 'a' })]
    expect(await first.next()).toEqual(message(a, 'resumed', 'NOT_DELIVERED'))
    first.leave()
    const b = await broker.send('resumed', { command: 'b' })
    const second = await open(first.lastId)
    expect(await second.next()).toEqual(READY)
    expect(await second.next()).toEqual(message(b, 'resumed', 'NOT_DELIVERED'))
  })

  test.each(['nonsense', 'other-run.1', '1', '.'])('tells of a gap after the unknown id %s', async (id) => {
    expect(await (await open(id)).next()).toEqual(GAP)
  })

  test('ends when its token does', async () => {
    const { body } = await broker.rest.post('/admin/api/clients', {
      deviseId: 'viewer',
      password: 'x',
      role: 'MAN',
    })
    const events = await open(undefined, await tokenOf(broker.server.url, 'viewer', 'x'))
    expect(await events.next()).toEqual(READY)
    await broker.rest.put(`/admin/api/clients/${(body as { id: number }).id}`, { role: 'DEVISE' })
    await broker.send('secret', { command: 'x' })
    expect(await events.next()).toBe(null)
  })

  test('HEAD has no body and leaves nothing behind', async () => {
    const { status, text } = await broker.rest.head('/admin/api/events')
    expect([status, text]).toEqual([200, ''])
  })

  test('ends when the server stops, which does not wait for it', async () => {
    const own = await BrokerUnderTest.start()
    const authorization = `Bearer ${own.token}`
    const events = await EventStream.open(`${own.server.url}/admin/api/events`, { authorization })
    expect(await events.next()).toEqual(READY)
    const stopped = own.server.kill()
    expect(await events.next()).toBe(null)
    expect((await stopped).code).toBe(0)
  })
})

describe('the feed', () => {
  let listeners: Set<(change: Transitioned) => void>
  let presence: Presence
  let feed: Feed
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    whenDone(() => vi.useRealTimers())
    listeners = new Set()
    presence = new Presence(() => 1000)
    const broker = {
      onChange(listener: (change: Transitioned) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    feed = new Feed({ broker, presence })
  })

  const happen = (count = 1): void => {
    for (let messageId = 1; messageId <= count; messageId++) {
      const change = {
        messageId,
        deviceId: 'pump',
        status: 'DELIVERED',
        replyTo: null,
      } as const
      for (const listener of listeners) listener(change)
    }
  }
  const follow = (lastId?: string, mayRead = (): boolean => true): AsyncIterator<Batch> =>
    feed.follow(lastId, mayRead)[Symbol.asyncIterator]()
  const batch = async (reader: AsyncIterator<Batch>): Promise<Batch> => {
    const { done, value } = await reader.next()
    if (done) throw new Error('the feed ended')
    return value
  }

  test('listens only while somebody reads, and for a minute after', async () => {
    expect(listeners.size).toBe(0)
    const reader = follow()
    const { after } = await batch(reader)
    expect(listeners.size).toBe(1)
    await reader.return?.()
    happen()
    expect(await batch(follow(after))).toMatchObject({ start: 'READY', events: [{ type: 'message' }] })
  })

  test('tells of a gap when it did not listen for a while', async () => {
    const reader = follow()
    const { after } = await batch(reader)
    await reader.return?.()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(listeners.size).toBe(0)
    expect(await batch(follow(after))).toMatchObject({ start: 'GAP', events: [] })
  })

  test('tells of a gap when more happened than it keeps', async () => {
    const { after } = await batch(follow())
    happen(10_000)
    expect(await batch(follow(after))).toMatchObject({ start: 'GAP' })
  })

  test('cuts off a reader that falls behind, and nobody else', async () => {
    const [slow, quick] = [follow(), follow()]
    await batch(slow)
    await batch(quick)
    let read = 0
    for (let i = 0; i < 100; i++) {
      happen(100)
      read += (await batch(quick)).events.length
    }
    expect(read).toBe(10_000)
    expect(await slow.next()).toEqual({ done: true, value: undefined })
  })

  test('gives a reader at most 500 events at once, all of them and in order', async () => {
    const reader = follow()
    await batch(reader)
    happen(1_200)
    const batches = [await batch(reader), await batch(reader), await batch(reader)]
    expect(batches.map(({ events }) => events.length)).toEqual([500, 500, 200])
    const ids = batches.flatMap(({ events }) =>
      events.map(({ change }) => 'messageId' in change && change.messageId),
    )
    expect(ids).toEqual(Array.from({ length: 1_200 }, (_, i) => i + 1))
  })

  test('gives a sign of life when nothing happens', async () => {
    const reader = follow()
    const { after } = await batch(reader)
    const next = batch(reader)
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
    expect(await next).toEqual({ events: [], after })
  })

  test('ends, while it waits, when the reader leaves, may not read any more, or the feed closes', async () => {
    const over = { done: true, value: undefined }
    const leaver = follow()
    await batch(leaver)
    const left = leaver.next()
    await leaver.return?.()
    expect(await left).toEqual(over)

    let may = true
    const expelled = follow(undefined, () => may)
    await batch(expelled)
    const refused = expelled.next()
    may = false
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
    expect(await refused).toEqual(over)

    const last = follow()
    await batch(last)
    const closed = last.next()
    feed.close()
    expect(await closed).toEqual(over)
    expect(await follow().next()).toEqual(over)
    expect(listeners.size).toBe(0)
  })

  test('tells of connections too', async () => {
    const reader = follow()
    await batch(reader)
    presence.connected('pump', 'MQTT')
    expect((await batch(reader)).events).toMatchObject([
      { type: 'connection', change: { deviceId: 'pump', connected: true, transport: 'MQTT', atMs: 1000 } },
    ])
  })
})
