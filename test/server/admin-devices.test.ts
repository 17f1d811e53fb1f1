/** Tests /admin/api/devices, the device index below it, and presence. */
import { describe, expect, test } from 'vitest'
import { Presence, type PresenceChange } from '../../src/broker/views/presence.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { clockOf } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { logIn } from '../_support/rest.ts'
import { TemporaryStore } from '../_support/store.ts'

const DEVICES = '/admin/api/devices'
const NEVER_SEEN = { oldestWaitingDate: null, lastSeenDate: null, transport: null, lastMessage: null }

describe(`adapter ${ADAPTER}`, () => {
  test('list devices: clients, and ids with messages → a row for each; polled ids without either → none', async () => {
    const broker = await BrokerUnderTest.start()
    await broker.rest.post('/admin/api/clients', { deviseId: 'pump', password: 'sesame' })
    const from = Date.now()
    const first = await broker.send('valve', { command: 'open' })
    const shut = await broker.send('valve', { command: 'shut' })
    const done = await broker.send('done', { command: 'x' })
    await broker.acknowledge('done', { id: done })
    await broker.poll('no client, no messages')

    const answer = await broker.rest.get(DEVICES)
    const { createdDate } = (await broker.rest.get(`/admin/api/messages/${first}`)).body as {
      createdDate: number
    }
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([
      { deviseId: 'admin', clientId: 1, waiting: 0, ...NEVER_SEEN },
      {
        ...{ deviseId: 'done', clientId: null, waiting: 0, ...NEVER_SEEN },
        lastMessage: { id: done, command: 'x', deliveryStatus: 'DELIVERED', date: expect.any(Number) },
      },
      { deviseId: 'pump', clientId: 2, waiting: 0, ...NEVER_SEEN },
      {
        ...{ deviseId: 'valve', clientId: null, waiting: 2, ...NEVER_SEEN, oldestWaitingDate: createdDate },
        lastMessage: { id: shut, command: 'shut', deliveryStatus: 'NOT_DELIVERED', date: expect.any(Number) },
      },
    ])
    const one = async (id: string) => (await broker.rest.get(`${DEVICES}/${id}`)).body
    expect(await one('valve')).toEqual((answer.body as object[])[3])
    expect(await one('pump')).toEqual((answer.body as object[])[2])
    expect(await one('a%2Fb')).toEqual({ deviseId: 'a/b', clientId: null, waiting: 0, ...NEVER_SEEN })

    await broker.poll('valve')
    await broker.acknowledge('valve', { id: first })
    const pump = await logIn(broker.server.url, 'pump', 'sesame')
    await pump.post('/consumer/request/pump', { id: await broker.send('pump', { command: 'x' }) })
    const rows = (await broker.rest.get(DEVICES)).body as { deviseId: string; lastSeenDate: number | null }[]
    expect(rows.slice(2)).toMatchObject([
      { deviseId: 'pump', waiting: 0, lastSeenDate: expect.any(Number), transport: null },
      { deviseId: 'valve', waiting: 1, lastSeenDate: expect.any(Number), transport: null },
    ])
    for (const { lastSeenDate } of rows.slice(2)) expect(lastSeenDate).toBeGreaterThanOrEqual(from)
  })

  test('list devices: limit=2, ids that need encoding → the Link header leads to each page', async () => {
    const broker = await BrokerUnderTest.start()
    const names = ['a', 'a b', 'a&b', 'z', 'ä', '\u{ff5e}', '\u{1f680}']
    for (const name of names) await broker.send(name, { command: 'x' })
    const found: string[] = []
    let next: string | undefined = `${DEVICES}?limit=2`
    while (next) {
      const { body, headers } = await broker.rest.get(next)
      const rows = body as { deviseId: string }[]
      expect(rows.length).toBeLessThanOrEqual(2)
      found.push(...rows.map(({ deviseId }) => deviseId))
      next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    expect(found).toEqual(['a', 'a b', 'a&b', 'admin', 'z', 'ä', '\u{ff5e}', '\u{1f680}'])
    for (const query of ['limit=0', 'limit=x', 'after']) {
      expect((await broker.rest.get(`${DEVICES}?${query}`)).status).toBe(400)
    }
  })
})

describe('device settings:', () => {
  const PUMP = `${DEVICES}/pump`
  const GENERAL = {
    ...{ sendMessagePeriod: null, maxAttempts: null, validSeconds: null, finishSeconds: null },
    ...{
      nextAfter: null,
      details: null,
      queueLimit: null,
      queueBytes: null,
      maxBytes: null,
      expectedSeconds: null,
    },
  }

  test('PUT → replaces them all, durable; shown only with details', async () => {
    const broker = await BrokerUnderTest.start()
    const plain = await broker.rest.get(PUMP)
    expect(plain.body).toEqual({ deviseId: 'pump', clientId: null, waiting: 0, ...NEVER_SEEN })
    const settings = async () => (await broker.rest.get(`${PUMP}?details=true`)).body
    expect(await settings()).toEqual({
      ...(plain.body as object),
      settings: GENERAL,
      busyUntilDate: null,
      ...{ description: '', state: 'UNSEEN', inFlight: null, blockedSinceDate: null, pacedUntilDate: null },
      ...{ parked: 0, failed: 0, lastDeliveryMs: null },
      ...{ presence: 'UNSEEN', sinceDate: null, firstSeenDate: null, lastSeenExact: true },
      ...{ address: null, node: null, via: null, pollSeconds: null, usualAbsenceSeconds: null },
      ...{ parked: 0, failed: 0, lastDeliveryMs: null, service: null },
    })

    const own = {
      ...{ sendMessagePeriod: 5000, maxAttempts: 0, validSeconds: 60, finishSeconds: 600 },
      ...{
        nextAfter: 'COMPLETED',
        details: true,
        queueLimit: 5,
        queueBytes: 0,
        maxBytes: 2_000,
        expectedSeconds: 90,
      },
    }
    const answer = await broker.rest.put(PUMP, own)
    expect([answer.status, answer.body]).toEqual([200, own])
    expect(await settings()).toMatchObject({ settings: own })
    expect((await broker.rest.get(PUMP)).text).toBe(plain.text)
    const after = await BrokerUnderTest.start({ dataDir: broker.leftBehind() })
    expect((await after.rest.get(`${PUMP}?details=true`)).body).toMatchObject({ settings: own })
    await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'sesame' })
    expect((await broker.rest.get(`${DEVICES}?details=true`)).body).toMatchObject([
      { deviseId: 'lamp', settings: GENERAL },
    ])

    for (const general of [{}, GENERAL]) {
      await broker.rest.put(PUMP, own)
      expect(await broker.rest.put(PUMP, general)).toMatchObject({ status: 200, body: GENERAL })
      expect(await settings()).toMatchObject({ settings: GENERAL })
    }
  })

  test.each([
    [{ sendMessagePeriod: -1 }, /"sendMessagePeriod" is not valid: expected an integer of 0 to 86400000/],
    [{ sendMessagePeriod: 86_400_001 }, /"sendMessagePeriod" is not valid/],
    [{ sendMessagePeriod: '5000' }, /"sendMessagePeriod" is not valid/],
    [{ sendMessagePeriodMs: 5000 }, /"sendMessagePeriodMs" is not known/],
    [{ maxAttempts: 101 }, /"maxAttempts" is not valid: expected an integer of 0 to 100/],
    [{ nextAfter: 'DONE' }, /"nextAfter" is not valid: expected one of DELIVERED, COMPLETED/],
    [{ nextAfter: 'COMPLETED' }, /Give finishSeconds too/],
    [{ queueLimit: 0 }, /"queueLimit" is not valid/],
  ])('PUT %j → 400, nothing changes', async (body, message) => {
    const broker = await BrokerUnderTest.start()
    await broker.rest.put(PUMP, { sendMessagePeriod: 7 })
    const refused = await broker.rest.put(PUMP, body)
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
    expect((await broker.rest.get(`${PUMP}?details=true`)).body).toMatchObject({
      settings: { sendMessagePeriod: 7 },
    })
  })

  test('a shorter period, while the device waits for its interval → applies at once', async () => {
    const broker = await BrokerUnderTest.start({ mqtt: true, env: { COMMON_SEND_MESSAGE_PERIOD: '3600000' } })
    const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'admin', password: broker.token })
    await peer.subscribe('consumer/request/pump')
    const ids = [1, 2].map(() => broker.send('pump', { command: 'x', believerGuarantee: 'NO' }))
    const [first, second] = (await Promise.all(ids)).toSorted((a, b) => a - b)
    expect(JSON.parse((await peer.next()).text)).toMatchObject({ id: first })

    await broker.rest.put(PUMP, { sendMessagePeriod: 0 })
    expect(JSON.parse((await peer.next()).text)).toMatchObject({ id: second })
  })

  test('nextAfter COMPLETED → an unfinished message holds the queue', async () => {
    const broker = await BrokerUnderTest.start()
    await broker.rest.put(PUMP, { nextAfter: 'COMPLETED', finishSeconds: 600 })
    const [first, second] = [
      await broker.send('pump', { command: 'x' }),
      await broker.send('pump', { command: 'x' }),
    ]
    expect(await broker.next('pump')).toBe(first)
    await broker.acknowledge('pump', { id: first })
    expect(await broker.next('pump')).toBeNull()
    const { body } = await broker.rest.get(`/admin/api/messages/${second}?details=true`)
    expect(body).toMatchObject({
      waits: { reason: 'BEHIND', messageId: first, until: expect.any(Number) },
    })
    await broker.acknowledge('pump', { id: first, deliveryStatus: 'COMPLETED' })
    expect(await broker.next('pump')).toBe(second)
  })

  test('a period of its own → polls are paced, and the same message again is not', async () => {
    const broker = await BrokerUnderTest.start()
    await broker.rest.put(PUMP, { sendMessagePeriod: 3_600_000 })
    const [first, second] = [
      await broker.send('pump', { command: 'x' }),
      await broker.send('pump', { command: 'x' }),
    ]
    expect([await broker.next('pump'), await broker.next('pump')]).toEqual([first, first])
    await broker.acknowledge('pump', { id: first, deliveryStatus: 'COMPLETED' })
    expect(await broker.next('pump')).toBeNull()
    const { body } = await broker.rest.get(`/admin/api/messages/${second}?details=true`)
    expect(body).toMatchObject({ waits: { reason: 'GAP', until: expect.any(Number) } })
  })

  test('a client with role DEVISE → 403', async () => {
    const broker = await BrokerUnderTest.start()
    await broker.rest.post('/admin/api/clients', { deviseId: 'pump', password: 'sesame' })
    const pump = await logIn(broker.server.url, 'pump', 'sesame')
    expect((await pump.put(PUMP, { sendMessagePeriod: 0 })).status).toBe(403)
  })
})

test('list devices: search → ids that contain the text, in pages', async () => {
  const broker = await BrokerUnderTest.start()
  for (const name of ['Pump 1', 'pump 2', 'valve', 'big PUMP', '%']) await broker.send(name, { command: 'x' })
  const found = async (query: string): Promise<string[]> => {
    const names: string[] = []
    let next: string | undefined = `${DEVICES}?${query}`
    while (next) {
      const { body, headers } = await broker.rest.get(next)
      names.push(...(body as { deviseId: string }[]).map(({ deviseId }) => deviseId))
      next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    }
    return names
  }
  expect(await found('search=pump')).toEqual(['Pump 1', 'big PUMP', 'pump 2'])
  expect(await found('search=pump&limit=1')).toEqual(['Pump 1', 'big PUMP', 'pump 2'])
  expect(await found('search=%25')).toEqual(['%'])
  expect(await found('search=nothing')).toEqual([])
  expect(await found('search=')).toEqual(['%', 'Pump 1', 'admin', 'big PUMP', 'pump 2', 'valve'])
})

test('device index: more devices than a page, part of them not indexed yet → complete and in order', async () => {
  const store = new TemporaryStore()
  const name = (i: number): string => `dev-${String(i).padStart(4, '0')}`
  const made = Array.from({ length: 2_000 }, (_, i) =>
    store.messages.enqueue(message({ deviceId: name(i) }), { messages: 10, bytes: 0 }),
  )
  await Promise.all(made)
  const expected = Array.from({ length: 2_000 }, (_, i) => name(i))
  const all = async (): Promise<string[]> => {
    const found: string[] = []
    for (;;) {
      const { items, next } = await store.devices.list(found.at(-1) ?? '', 400, '')
      found.push(...items.map(({ deviceId }) => deviceId))
      for (const { last, deviceId } of items)
        expect(`dev-${String((last?.id ?? 0) - 1).padStart(4, '0')}`).toBe(deviceId)
      if (next === null) return found
      expect(next).toBe(found.at(-1))
    }
  }
  expect(await all()).toEqual(expected)
  await store.indexed(1_500)
  expect(await all()).toEqual(expected)
  const some = await store.devices.list('', 3, '7')
  expect(some.items.map(({ deviceId }) => deviceId)).toEqual(['dev-0007', 'dev-0017', 'dev-0027'])
  // A search is cut off after some milliseconds, so a page may be short.
  let others = 0
  for (let after: string | null = 'dev-1400'; after !== null; ) {
    const { items, next } = await store.devices.list(after, 400, '7')
    others += items.length
    after = next
  }
  expect(others).toBe(195)
})

describe('presence', () => {
  test('two connections → connected from the first to the end of the last', () => {
    let now = 1000
    const presence = new Presence(clockOf(() => now))
    const changes: PresenceChange[] = []
    const end = presence.onChange((change) => changes.push(change))
    expect(presence.of('pump')).toEqual({ atMs: null, transport: null })

    presence.connected('pump', 'MQTT')
    presence.connected('pump', 'MQTT')
    now = 2000
    expect(presence.of('pump')).toEqual({ atMs: 2000, transport: 'MQTT' })
    presence.disconnected('pump', 'MQTT')
    now = 3000
    presence.disconnected('pump', 'MQTT')
    presence.disconnected('pump', 'MQTT')
    now = 4000
    expect(presence.of('pump')).toEqual({ atMs: 3000, transport: null })
    presence.seen('pump')
    expect(presence.of('pump')).toEqual({ atMs: 4000, transport: null })

    end()
    presence.connected('pump', 'MQTT')
    expect(changes).toEqual([
      { deviceId: 'pump', connected: true, transport: 'MQTT', atMs: 1000 },
      { deviceId: 'pump', connected: false, transport: 'MQTT', atMs: 3000 },
    ])
  })
})
