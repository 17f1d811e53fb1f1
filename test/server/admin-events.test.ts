/** Tests /admin/api/events, the stream of changes, and the feed behind it. */
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Transitioned } from '../../src/broker/contract/store.ts'
import { type Batch, Feed, HEARTBEAT_MS, MAX_READERS } from '../../src/broker/views/feed.ts'
import { Presence } from '../../src/broker/views/presence.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { whenDone } from '../_support/cleanup.ts'
import { clockOf } from '../_support/clock.ts'
import { EventStream, type ServerEvent } from '../_support/events.ts'
import { eventually } from '../_support/eventually.ts'
import { tokenOf } from '../_support/rest.ts'

const READY = { type: 'ready', data: {} }
const GAP = { type: 'gap', data: {} }

describe(`event stream, adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  const open = (lastId?: string, as = broker.token): Promise<EventStream> =>
    EventStream.open(`${broker.server.url}/admin/api/events`, {
      authorization: `Bearer ${as}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    })
  const openDetailed = (lastId?: string): Promise<EventStream> =>
    EventStream.open(`${broker.server.url}/admin/api/events?details=true`, {
      authorization: `Bearer ${broker.token}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    })
  const nextOf = async (events: EventStream, type: string): Promise<unknown> => {
    for (;;) {
      const event = await events.next()
      if (event === null) throw new Error('the stream ended')
      if (event.type === type) return event.data
    }
  }
  const message = (id: number, deviseId: string, deliveryStatus: string): ServerEvent => ({
    type: 'message',
    data: { id, deviseId, deliveryStatus },
  })

  test('messages are stored and change → an event for each', async () => {
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

  test('details: a change of a message → its cause, and the number of attempts where the change has it', async () => {
    const events = await openDetailed()
    const id = await broker.send('detailed', { command: 'go' })
    const asked = await broker.send('detailed-2', {
      command: 'go',
      messageBirthCertificate: { tmpId: 1, producerDeviseId: 'admin', details: true },
    })
    await broker.next('detailed-2')
    await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
    await broker.acknowledge('detailed-2', { id: asked, deliveryStatus: 'COMPLETED' })

    const changes = []
    for (let i = 0; i < 4; i++) changes.push(await nextOf(events, 'message'))
    expect(changes).toEqual([
      { id, deviseId: 'detailed', deliveryStatus: 'NOT_DELIVERED', cause: 'STORED', attempt: 0 },
      { id: asked, deviseId: 'detailed-2', deliveryStatus: 'NOT_DELIVERED', cause: 'STORED', attempt: 0 },
      { id, deviseId: 'detailed', deliveryStatus: 'CANCELLED', cause: 'CANCELLED', attempt: null },
      { id: asked, deviseId: 'detailed-2', deliveryStatus: 'COMPLETED', cause: 'ACKNOWLEDGED', attempt: 1 },
    ])
  })

  test('details: an action on many messages → events from its start to its end, which agree with the report', async () => {
    const ids = []
    for (let i = 0; i < 3; i++) ids.push(await broker.send('many', { command: 'go' }))
    const [plain, events] = [await open(), await openDetailed()]
    expect(await plain.next()).toEqual(READY)
    const { body } = await broker.rest.post('/admin/api/messages/bulk', {
      action: 'CANCEL',
      ids: [...ids, 999_999_999],
    })
    const { id } = body as { id: number }

    const first = await nextOf(events, 'bulk')
    let last: unknown
    do last = await nextOf(events, 'bulk')
    while ((last as { state: string }).state === 'RUNNING')

    const counts = { id, action: 'CANCEL', left: 0, failed: 0 }
    expect(first).toEqual({ ...counts, state: 'RUNNING', matched: 0, done: 0, changed: 0, skipped: [] })
    const skipped = [{ code: 'unknown-message', count: 1 }]
    expect(last).toEqual({ ...counts, state: 'DONE', matched: 4, done: 4, changed: 3, skipped })
    expect((await broker.rest.get(`/admin/api/messages/bulk/${id}`)).body).toMatchObject(last as object)
    // Without details the changes of the messages are the only events.
    for (const each of ids) expect(await plain.next()).toEqual(message(each, 'many', 'CANCELLED'))
    const after = await broker.send('many', { command: 'go' })
    expect(await plain.next()).toEqual(message(after, 'many', 'NOT_DELIVERED'))
  })

  test('a hundred readers → 503 for the next, until one leaves', async () => {
    const streams = await Promise.all(Array.from({ length: MAX_READERS }, () => open()))
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

  test('Last-Event-ID of an earlier stream → continues after that event', async () => {
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

  test.each(['nonsense', 'other-run.1', '1', '.'])('unknown Last-Event-ID %s → a gap event', async (id) => {
    expect(await (await open(id)).next()).toEqual(GAP)
  })

  test('the role of its client changes → the stream ends', async () => {
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

  test('HEAD → 200 without a body', async () => {
    const { status, text } = await broker.rest.head('/admin/api/events')
    expect([status, text]).toEqual([200, ''])
  })

  test('the server stops → the stream ends, exit code 0', async () => {
    const own = await BrokerUnderTest.start()
    const authorization = `Bearer ${own.token}`
    const events = await EventStream.open(`${own.server.url}/admin/api/events`, { authorization })
    expect(await events.next()).toEqual(READY)
    const stopped = own.server.kill()
    expect(await events.next()).toBe(null)
    expect((await stopped).code).toBe(0)
  })
})

describe('event feed', () => {
  let listeners: Set<(change: Transitioned) => void>
  let presence: Presence
  let feed: Feed
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    whenDone(() => vi.useRealTimers())
    listeners = new Set()
    presence = new Presence(clockOf(() => 1000))
    const broker = {
      onChange(listener: (change: Transitioned) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    const silent = { onChange: () => () => {} }
    const logs = { ...silent, follow: () => () => {} }
    feed = new Feed({ broker, presence, alerts: silent, bulk: silent, incidents: silent, logs })
  })

  const changeMessages = (count = 1): void => {
    for (let messageId = 1; messageId <= count; messageId++) {
      const change = {
        messageId,
        deviceId: 'pump',
        status: 'DELIVERED',
        cause: 'ACKNOWLEDGED',
        replyTo: null,
        details: null,
        order: null,
      } as const
      for (const listener of listeners) listener(change)
    }
  }
  const follow = (lastId?: string): AsyncIterator<Batch> => feed.follow(lastId)[Symbol.asyncIterator]()
  const batch = async (reader: AsyncIterator<Batch>): Promise<Batch> => {
    const { done, value } = await reader.next()
    if (done) throw new Error('the feed ended')
    return value
  }

  test('no reader → no listener; a reader left just now → still listens', async () => {
    expect(listeners.size).toBe(0)
    const reader = follow()
    const { after } = await batch(reader)
    expect(listeners.size).toBe(1)
    await reader.return?.()
    changeMessages()
    expect(await batch(follow(after))).toMatchObject({ start: 'READY', events: [{ type: 'message' }] })
  })

  test('no reader for a minute → stops listening; the next reader gets GAP', async () => {
    const reader = follow()
    const { after } = await batch(reader)
    await reader.return?.()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(listeners.size).toBe(0)
    expect(await batch(follow(after))).toMatchObject({ start: 'GAP', events: [] })
  })

  test('more events than it keeps → GAP', async () => {
    const { after } = await batch(follow())
    changeMessages(10_000)
    expect(await batch(follow(after))).toMatchObject({ start: 'GAP' })
  })

  test('one reader falls behind → only this one is cut off', async () => {
    const [slow, quick] = [follow(), follow()]
    await batch(slow)
    await batch(quick)
    let read = 0
    for (let i = 0; i < 100; i++) {
      changeMessages(100)
      read += (await batch(quick)).events.length
    }
    expect(read).toBe(10_000)
    expect(await slow.next()).toEqual({ done: true, value: undefined })
  })

  test('1200 events → batches of at most 500, complete and in order', async () => {
    const reader = follow()
    await batch(reader)
    changeMessages(1_200)
    const batches = [await batch(reader), await batch(reader), await batch(reader)]
    expect(batches.map(({ events }) => events.length)).toEqual([500, 500, 200])
    const ids = batches.flatMap(({ events }) =>
      events.map(({ change }) => 'messageId' in change && change.messageId),
    )
    expect(ids).toEqual(Array.from({ length: 1_200 }, (_, i) => i + 1))
  })

  test('nothing happens for the heartbeat interval → an empty batch', async () => {
    const reader = follow()
    const { after } = await batch(reader)
    const next = batch(reader)
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
    expect(await next).toEqual({ events: [], after })
  })

  test('a reader leaves, or the feed closes → its pending read ends', async () => {
    const ended = { done: true, value: undefined }
    const leaver = follow()
    await batch(leaver)
    const left = leaver.next()
    await leaver.return?.()
    expect(await left).toEqual(ended)

    const last = follow()
    await batch(last)
    const closed = last.next()
    feed.close()
    expect(await closed).toEqual(ended)
    expect(await follow().next()).toEqual(ended)
    expect(listeners.size).toBe(0)
  })

  test('a device connects → a connection event', async () => {
    const reader = follow()
    await batch(reader)
    presence.connected('pump', 'MQTT')
    expect((await batch(reader)).events).toMatchObject([
      { type: 'connection', change: { deviceId: 'pump', connected: true, transport: 'MQTT', atMs: 1000 } },
    ])
  })
})
