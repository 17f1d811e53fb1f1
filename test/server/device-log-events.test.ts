/** The log of devices as an event stream: each entry as it happens, before it is stored, and only of the devices that are named. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { EventStream } from '../_support/events.ts'
import { MqttPeer } from '../_support/mqtt.ts'

interface Entry {
  readonly id: string
  readonly deviseId: string
  readonly kind: string
}

const EVENTS = '/admin/api/events'

function open(broker: BrokerUnderTest, query: string, lastId?: string): Promise<EventStream> {
  return EventStream.open(`${broker.server.url}${EVENTS}?${query}`, {
    authorization: `Bearer ${broker.token}`,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  })
}

/** Returns the entries up to that of a kind. */
async function until(events: EventStream, kind: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (;;) {
    const event = await events.next()
    if (event === null) throw new Error('the stream ended')
    if (event.type !== 'log') continue
    entries.push(event.data as Entry)
    if (entries.at(-1)?.kind === kind) return entries
  }
}

test('events=log: a device connects, is written about, is refused, leaves → an entry for each, as the list has it', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true, dataDir: await withClients('pump', 'lamp') })
  const stream = await open(broker, 'events=log&deviseId=pump&deviseId=bell')
  expect(await stream.next()).toEqual({ type: 'ready', data: {} })
  const login = { port: broker.mqttPort, password: PASSWORD }
  const lamp = await MqttPeer.connect({ ...login, username: 'lamp' })
  const pump = await MqttPeer.connect({ ...login, username: 'pump' })
  const begin = await until(stream, 'CONNECTED')
  await pump.subscribe('consumer/request/pump')
  await broker.rest.post('/admin/api/devices/lamp/notes', { text: 'of another device' })
  await broker.rest.post('/admin/api/devices/bell/notes', { text: 'rings' })
  await broker.rest.post('/auth/login', { deviseId: 'pump', password: 'wrong' })
  const middle = await until(stream, 'REFUSED')
  await pump.end()
  await lamp.end()
  const end = await until(stream, 'DISCONNECTED')

  const entries = [...begin, ...middle, ...end]
  expect(entries.filter(({ deviseId }) => deviseId !== 'pump')).toMatchObject([
    { deviseId: 'bell', kind: 'NOTE', by: 'admin', detail: { text: 'rings' } },
  ])
  const { body } = await broker.rest.get('/admin/api/devices/pump/log?kind=CONNECTED,SUBSCRIBED,DISCONNECTED')
  const listed = (body as unknown as Entry[]).reverse()
  const sent = entries.filter(({ kind }) => listed.some((entry) => entry.kind === kind))
  expect(sent.map(({ kind }) => kind)).toEqual(['CONNECTED', 'SUBSCRIBED', 'DISCONNECTED'])
  // Times of entries that are not stored yet are those of this node.
  const withoutTime = ({ id, ...entry }: Entry) => ({
    ...entry,
    ...{ id: id.slice(15), date: null, detail: null, deviseId: null },
  })
  expect(sent.map(withoutTime)).toEqual(listed.map(withoutTime))
})

test('events=log: a reader that returns with its last id → the entries that it missed', async () => {
  const broker = await BrokerUnderTest.start()
  const first = await open(broker, 'events=log&deviseId=pump')
  await first.next()
  await broker.rest.post('/admin/api/devices/pump/notes', { text: 'one' })
  await until(first, 'NOTE')
  first.leave()
  await broker.rest.post('/admin/api/devices/pump/notes', { text: 'two' })
  const again = await open(broker, 'events=log&deviseId=pump', first.lastId)
  expect(await until(again, 'NOTE')).toMatchObject([{ detail: { text: 'two' } }])
})

test('deviseId: only events of these devices; without it log is refused, as are 21 devices', async () => {
  const broker = await BrokerUnderTest.start()
  const stream = await open(broker, 'deviseId=pump')
  await stream.next()
  await broker.send('lamp', { command: 'on' })
  await broker.rest.post('/admin/api/devices/pump/notes', { text: 'no log' })
  const id = await broker.send('pump', { command: 'on' })
  expect(await stream.next()).toMatchObject({ type: 'message', data: { id, deviseId: 'pump' } })

  expect(await broker.rest.get(`${EVENTS}?events=log`)).toMatchObject({
    status: 400,
    body: { message: 'Events of type log need "deviseId", the ids of 1 to 20 devices.' },
  })
  const many = Array.from({ length: 21 }, (_, n) => `deviseId=d${n}`).join('&')
  expect((await broker.rest.get(`${EVENTS}?events=log&${many}`)).status).toBe(400)
})
