/** Tests the log of a device beside its connections: ends of connections, people, pauses, wills, and incidents. */
import { generate, type Packet } from 'mqtt-packet'
import { expect, inject, test, vi } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { HeldClock } from '../_support/clock.ts'
import { eventually } from '../_support/eventually.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'

const START = Date.now()
const HOUR_MS = 3_600_000
/** Number of the node; null for a storage with one node. */
const NODE = inject('postgres') === '' ? null : expect.any(Number)

interface Entry {
  readonly id: string
  readonly kind: string
  readonly date: number
  readonly reason: string | null
  readonly by: string | null
  readonly detail: Record<string, unknown>
}
const logOf = async (broker: BrokerUnderTest, id: string, query = '') =>
  (await broker.rest.get(`/admin/api/devices/${id}/log${query}`)).body as unknown as Entry[]

test('device log: out of service and back, by a person and by a date, and notes → kinds of their own; a removed note → CHANGED', async () => {
  const clock = new HeldClock(START)
  const broker = await BrokerUnderTest.start({ replaced: { clock } })
  const device = '/admin/api/devices/pump'
  await broker.rest.put(`${device}/service`, { reason: 'repair' })
  clock.advance(1_000)
  await broker.rest.delete(`${device}/service`)
  clock.advance(1_000)
  const { body: note } = await broker.rest.post(`${device}/notes`, { text: 'a new valve is ordered' })
  clock.advance(1_000)
  await broker.rest.delete(`${device}/notes/${(note as { id: number }).id}`)
  clock.advance(1_000)
  const untilDate = START + 10 * HOUR_MS
  await broker.rest.put(`${device}/service`, { reason: 'parts', untilDate: START + 5 * HOUR_MS })
  clock.advance(1_000)
  await broker.rest.put(`${device}/service`, { reason: 'parts', untilDate })
  clock.advance(9 * HOUR_MS)
  const before = await logOf(broker, 'pump', '?kind=OUT_OF_SERVICE,IN_SERVICE,NOTE,CHANGED')
  expect(before.map(({ kind, reason, by, detail }) => [kind, reason, by, detail])).toEqual([
    ['OUT_OF_SERVICE', 'parts', 'admin', { untilDate }],
    ['OUT_OF_SERVICE', 'parts', 'admin', { untilDate: START + 5 * HOUR_MS }],
    ['CHANGED', 'device.note', 'admin', { noteId: 1, removed: true }],
    ['NOTE', null, 'admin', { text: 'a new valve is ordered', noteId: 1 }],
    ['IN_SERVICE', null, 'admin', {}],
    ['OUT_OF_SERVICE', 'repair', 'admin', { untilDate: null }],
  ])
  clock.advance(HOUR_MS)
  // The change that has the date is before the range.
  const after = await logOf(broker, 'pump', `?from=${START + 9 * HOUR_MS}`)
  expect(after).toMatchObject([{ kind: 'IN_SERVICE', reason: 'DATE', date: untilDate, by: null, detail: {} }])
})

test('device log: a device whose id is the number of a message → the cancel of its queue, not that of the message', async () => {
  const broker = await BrokerUnderTest.start()
  const id = await broker.send('pump', { command: 'go' })
  await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
  await broker.send(String(id), { command: 'go' })
  await broker.rest.post(`/admin/api/devices/${id}/cancel`, {})
  const entries = await logOf(broker, String(id), '?kind=CHANGED')
  expect(entries).toMatchObject([{ reason: 'message.cancel', detail: { count: 1 } }])
})

test('device log: a device asks for pauses, ends one, acknowledges nothing, then again → BUSY, DEAF, ANSWERS_AGAIN', async () => {
  const clock = new HeldClock(START)
  const env = { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '1000', COMMON_MAX_ATTEMPTS: '1' }
  const broker = await BrokerUnderTest.start({ replaced: { clock }, env })
  const busy = (busySeconds: number) => broker.rest.post('/consumer/request/pump', { busySeconds })
  // 0 without a pause is no event.
  for (const seconds of [0, 60, 0]) await busy(seconds)
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await broker.send('pump', { command: 'go' }))
  for (const id of ids.slice(0, 3)) {
    await broker.next('pump')
    clock.advance(2_000)
    await eventually(async () => {
      await broker.next('pump')
      expect(await broker.status(id)).toBe('UNKNOWN')
    })
  }
  clock.advance(60_000)
  await broker.acknowledge('pump', { id: ids[3], deliveryStatus: 'COMPLETED' })
  const entries = await logOf(broker, 'pump', '?kind=BUSY,DEAF,ANSWERS_AGAIN')
  expect(entries).toMatchObject([
    { kind: 'ANSWERS_AGAIN', detail: { seconds: 60 } },
    { kind: 'DEAF', detail: { parked: 3 } },
    { kind: 'BUSY', detail: { seconds: 0 } },
    { kind: 'BUSY', detail: { seconds: 60 } },
  ])

  // After 60 events of an hour the further pauses are one entry.
  for (let n = 0; n < 70; n++) await busy(n + 1)
  const many = await logOf(broker, 'pump', '?kind=BUSY')
  expect(many).toHaveLength(60 - 1)
  expect(many[0]).toMatchObject({ detail: { count: 14, seconds: 70 } })
})

test('device log: wills published at once and by Clean Start, and discarded for each cause → WILL with the topic alone', async () => {
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('pump', 'lamp'), mqtt: true })
  const willOf = (topic: string, willDelayInterval: number) => ({
    will: { topic, payload: Buffer.from('{"command":"secret"}'), qos: 1, properties: { willDelayInterval } },
  })
  const lasting = { protocolVersion: 5, clean: false, properties: { sessionExpiryInterval: 3_600 } } as const
  const open = (username: string, more: object = {}) =>
    MqttPeer.connect({
      ...{ port: broker.mqttPort, username, password: PASSWORD, clientId: 'one', ...lasting },
      ...more,
    })
  const wills = async (id = 'pump') =>
    (await logOf(broker, id, '?kind=WILL'))
      .map(({ reason, detail: { topic, cause } }) => [reason, topic, cause])
      .reverse()
  const topic = 'producer/request/lamp'
  const expected: unknown[] = []
  const expectNext = async (...entry: unknown[]) => {
    expected.push(entry)
    await eventually(async () => expect(await wills()).toEqual(expected))
  }

  await (await open('pump', willOf(topic, 0))).drop()
  await expectNext('PUBLISHED', topic, null)
  await (await open('pump', willOf('not/allowed', 0))).drop()
  await expectNext('DISCARDED', 'not/allowed', 'REFUSED')
  await (await open('pump', willOf(topic, 100))).drop()
  await (await open('pump', willOf(topic, 100))).drop()
  await expectNext('DISCARDED', topic, 'SESSION_CONTINUED')
  await (await open('pump', { clean: true })).end()
  await expectNext('PUBLISHED', topic, null)
  // A DISCONNECT of the client discards its will without an entry.
  await (await open('pump', willOf(topic, 0))).end()

  const ended = await open('pump', willOf(topic, 0))
  const [connection] = (await broker.rest.get('/admin/api/connections?deviseId=pump')).body as {
    id: number
  }[]
  await broker.rest.delete(`/admin/api/connections/${connection?.id}?will=discard`)
  await ended.closed
  await expectNext('DISCARDED', topic, 'ADMIN')
  const removed = await open('pump', willOf(topic, 0))
  const [client] = (await broker.rest.get('/admin/api/clients?search=pump')).body as { id: number }[]
  await broker.rest.delete(`/admin/api/clients/${client?.id}`)
  await removed.closed
  await expectNext('DISCARDED', topic, 'ACCESS_ENDED')
  expect(JSON.stringify(await logOf(broker, 'pump'))).not.toContain('secret')
  expect(await wills('lamp')).toEqual([])
})

test('device log: an incident has a signal of the device, and is resolved → INCIDENT with its id and key, start and end', async () => {
  const broker = await BrokerUnderTest.start({ replaced: { recordingMs: 5 } })
  const id = await broker.send('oven', { command: 'bake' })
  await broker.acknowledge('oven', { id, deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'too cold' })
  const incidents = () => logOf(broker, 'oven', '?kind=INCIDENT')
  const [started] = await eventually(async () => {
    const entries = await incidents()
    expect(entries).toMatchObject([{ reason: 'STARTED', detail: { key: 'FAILED:bake' } }])
    return entries
  })
  await broker.rest.post('/admin/api/incidents/resolve', { ids: [started?.detail.id], note: 'heated' })
  expect(await incidents()).toMatchObject([{ reason: 'ENDED', detail: started?.detail }, { id: started?.id }])
  expect(await logOf(broker, 'another', '?kind=INCIDENT')).toEqual([])
})

test('device log: connections that end for each reason → what is known about the end', async () => {
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('pump'), mqtt: true })
  const login = { username: 'pump', password: PASSWORD }
  const open = (clientId: string) => MqttPeer.connect({ port: broker.mqttPort, ...login, clientId })
  const raw = async () => {
    const connect = { cmd: 'connect', clientId: 'raw', clean: true, keepalive: 60, ...login }
    const client = await Client.connect(broker.mqttPort)
    await client.send(generate(connect as Packet))
    await client.arrived('\x20\x02\0\0')
    return client
  }
  const connectionId = async () =>
    ((await broker.rest.get('/admin/api/connections?deviseId=pump')).body as { id: number }[])[0]?.id
  const expectEnd = (expected: object) =>
    eventually(async () => {
      const [last] = await logOf(broker, 'pump', '?kind=DISCONNECTED')
      expect(last).toMatchObject(expected)
    })

  const older = await open('one')
  const newer = await open('one')
  await older.closed
  await expectEnd({ reason: 'TAKEN_OVER', detail: { newer: { node: NODE, address: '127.0.0.1' } } })
  await broker.rest.delete(`/admin/api/connections/${await connectionId()}`)
  await newer.closed
  await expectEnd({ reason: 'ADMIN', by: 'admin' })

  const broken = await raw()
  await broken.send(Buffer.from('30ffffff7f', 'hex'))
  await broken.closed
  const [refusal] = (await broker.rest.get('/admin/api/connections/refusals')).body as { message: string }[]
  await expectEnd({ reason: 'PROTOCOL_ERROR', detail: { message: refusal?.message } })

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const silent = await raw()
  vi.advanceTimersByTime(90_001)
  vi.useRealTimers()
  await silent.closed
  await expectEnd({ reason: 'KEEP_ALIVE', detail: { keepAliveSeconds: 60 } })

  const last = await open('last')
  const [client] = (await broker.rest.get('/admin/api/clients?search=pump')).body as { id: number }[]
  await broker.rest.delete(`/admin/api/clients/${client?.id}`)
  await last.closed
  await expectEnd({ reason: 'ACCESS_ENDED', detail: { cause: 'client-removed' } })
})

test('device log: a device behind a gateway → the connections of the gateway, marked; with details `via` names it', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true })
  const password = PASSWORD
  await broker.rest.post('/admin/api/clients', { deviseId: 'hub', password, devices: ['site-*', 'hub'] })
  await broker.send('site-1', { command: 'go' })
  const hub = await MqttPeer.connect({ port: broker.mqttPort, username: 'hub', password })
  await hub.subscribe('consumer/request/+')
  expect(await broker.rest.post('/consumer/request/hub', { busySeconds: 60 })).toMatchObject({ status: 200 })
  const kinds = '?kind=CONNECTED,SUBSCRIBED,DISCONNECTED,BUSY'
  const entries = async (id: string) =>
    (await logOf(broker, id, kinds)).map(({ kind, detail }) => [kind, detail.via ?? null])
  expect(await entries('hub')).toEqual([
    ['BUSY', null],
    ['CONNECTED', null],
  ])
  expect(await entries('site-1')).toEqual([['CONNECTED', 'hub']])
  const device = async (id: string) => (await broker.rest.get(`/admin/api/devices/${id}?details=true`)).body
  expect(await device('site-1')).toMatchObject({ presence: 'RECEIVING', via: 'hub', node: NODE })
  expect(await device('hub')).toMatchObject({ presence: 'CONNECTED', via: null, node: NODE })
  await hub.end()
  await eventually(async () =>
    expect(await entries('site-1')).toEqual([
      ['DISCONNECTED', 'hub'],
      ['CONNECTED', 'hub'],
    ]),
  )
  expect(await device('site-1')).toMatchObject({ presence: 'AWAY', via: 'hub' })
  expect(await device('hub')).toMatchObject({ presence: 'AWAY', via: null })
})
