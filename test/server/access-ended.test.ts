/**
 * Access that ends, ends everywhere: each event on each holder of access. Over PostgreSQL the holder is on one node, and the event
 * happens on another. After the answer to the change nothing may reach the holder, and the command waits for the rightful device.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { CREDENTIALS, EVENTS, type Nodes, newSubject, type Subject } from '../_support/access-holders.ts'
import { ADAPTER, ADAPTERS, type AdapterName } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD } from '../_support/clients.ts'
import { EventStream } from '../_support/events.ts'
import { eventually } from '../_support/eventually.ts'
import { type Answer, Client, request, requestOf } from '../_support/http.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { OVER_POSTGRES } from '../_support/shared-database.ts'
import { code, writeTree } from '../_support/trees.ts'
import { openSocket } from '../_support/web-socket.ts'

const ENV = { MQTT_EXTRA_TOPICS: 't/#', COMMON_SEND_MESSAGE_PERIOD: '0' }

/** Bodies of the specification. */
const BODIES: Readonly<Record<number, string>> = {
  401: '{"error":"Unauthorized"}',
  403: '{"error":"Forbidden"}',
}

/** Endpoints beside the broker: a WebSocket that answers, a stream that goes on, and an upload that is read as it arrives. */
const FILES = {
  'sink.ts': code(`export class Default extends Endpoint {
    static access = 'any'
    static body = 'stream'
    async POST({ body }) {
      for await (const part of body);
      return 'whole'
    }
  }`),
  'echo.ts': code(`export class Default extends Endpoint {
    static access = 'any'
    async *GET() {
      yield 'first'
      await new Promise(() => {})
    }
    CONNECT() {}
    MESSAGE(text) { this.socket.send(text) }
  }`),
}

/** Adapters of the holder's node. The projects of the server tests name it; over PostgreSQL each adapter has its turn. */
const HOLDERS = OVER_POSTGRES ? ADAPTERS : [ADAPTER]

let nodes: Nodes

async function startNodes(adapter: AdapterName): Promise<Nodes> {
  const start = (options: object): Promise<BrokerUnderTest> =>
    BrokerUnderTest.start({ ...options, mqtt: true, env: ENV, prefixes: [writeTree(FILES), '@broker'] })
  const here = await start({})
  const there = OVER_POSTGRES ? await start({ dataDir: here.leftBehind(), adapter }) : here
  return { here, there }
}

/** Opens a request of a subject that the server holds open. */
async function openWait(subject: Subject, target: string): Promise<Client> {
  const { port } = nodes.there
  const waiting = await Client.connect(port)
  await waiting.send(requestOf('GET', target, { headers: { authorization: `Bearer ${subject.credential}` } }))
  // The answer to a later request shows that the server has read the first one.
  await request(port, 'GET', '/nothing')
  return waiting
}

/** Opens a request that waits, and returns when its wait has begun: what its dispatch claimed before is settled then. */
async function openHeld(subject: Subject, target: string): Promise<Client> {
  const expectWaits = (count: number) =>
    eventually(async () =>
      expect((await nodes.there.raw('GET', '/metrics')).text()).toMatch(
        new RegExp(`^waybill_waits\\b.* ${count}$`, 'm'),
      ),
    )
  await expectWaits(0)
  const waiting = await openWait(subject, target)
  await expectWaits(1)
  return waiting
}

const shown = ({ status, text }: Answer): unknown => [status, status in BODIES ? text() : undefined]
const expected = (status: number): unknown => [status, BODIES[status]]

/** Sends a NO command, which a dispatch to the wrong peer would lose. Returns its id. */
const sendOnce = (deviceId: string): Promise<number> =>
  nodes.here.send(deviceId, { command: 'go', believerGuarantee: 'NO' })

/** Expects that a command waits for the rightful device, and takes it. */
async function expectPending(deviceId: string, id: number): Promise<void> {
  expect(await nodes.here.status(id)).toBe('NOT_DELIVERED')
  // The other node may still give up its lease of the device.
  await eventually(async () => expect(await nodes.here.next(deviceId)).toBe(id))
}

describe.each(HOLDERS)('holder over adapter %s', (adapter) => {
  beforeAll(async () => {
    nodes = await startNodes(adapter)
  })

  describe.each(EVENTS)(`$name`, (event) => {
    test.each(CREDENTIALS)('poll that waits, by %s', async (kind) => {
      const subject = await newSubject(nodes, kind)
      const { deviceId } = subject
      const waiting = await openHeld(subject, `/consumer/getLastMessage/${deviceId}?wait=60`)
      const answer = waiting.answer()
      expect((await event.make(nodes, subject)).status).toBeLessThan(300)
      const id = await sendOnce(deviceId)
      const status = event.poll[kind]
      if (status === null) expect((await answer).json()).toMatchObject([{ id }])
      else {
        expect(shown(await answer)).toEqual(expected(status))
        await expectPending(deviceId, id)
      }
    })

    test.each(CREDENTIALS)('wait for a status, by %s', async (kind) => {
      const subject = await newSubject(nodes, kind)
      const id = await nodes.here.send(subject.deviceId, { command: 'go' })
      const waiting = await openHeld(subject, `/producer/getMessageStatus/${id}?wait=60`)
      const answer = waiting.answer()
      expect((await event.make(nodes, subject)).status).toBeLessThan(300)
      const status = event.status[kind]
      const ended = status === null ? null : await answer
      await nodes.here.acknowledge(subject.deviceId, { id, deliveryStatus: 'COMPLETED' })
      if (ended === null) expect((await answer).json()).toEqual({ deliveryStatus: 'COMPLETED' })
      else if (status === 200) expect(ended.json()).toEqual({ deliveryStatus: 'NOT_DELIVERED' })
      else expect(shown(ended)).toEqual(expected(status as number))
    })
  })

  describe.each(EVENTS)(`$name, what stays open`, (event) => {
    const made = async (subject: Subject): Promise<void> =>
      expect((await event.make(nodes, subject)).status).toBeLessThan(300)
    const connect = (subject: Subject, options: object = {}): Promise<MqttPeer> =>
      MqttPeer.connect({
        ...{ port: nodes.there.mqttPort, username: subject.deviceId, password: subject.credential },
        ...options,
      })
    const command = (deviceId: string): string => `consumer/request/${deviceId}`

    describe.each(CREDENTIALS)('by %s', (kind) => {
      const ends = event.connection[kind]

      test('event stream', async () => {
        const subject = await newSubject(nodes, kind, event.name.startsWith('new role') ? 'MAN' : 'READER')
        const authorization = `Bearer ${subject.credential}`
        const stream = await EventStream.open(`${nodes.there.server.url}/admin/api/events`, { authorization })
        await stream.next()
        await made(subject)
        // A stream has the events of its own node.
        const id = await nodes.there.send(subject.deviceId, { command: 'go' })
        if (ends) expect(await stream.next()).toBeNull()
        else expect(await stream.next()).toMatchObject({ type: 'message', data: { id } })
      })

      test('WebSocket of an endpoint', async () => {
        const subject = await newSubject(nodes, kind)
        const authorization = `Bearer ${subject.credential}`
        const socket = await openSocket(nodes.there.port, '/echo', { authorization })
        await made(subject)
        socket.send('still here?')
        if (ends) expect(await socket.closed).toBe(1008)
        else expect((await socket.next()).text()).toBe('"still here?"')
      })

      test('streamed answer of an endpoint → cut', async () => {
        const subject = await newSubject(nodes, kind)
        const open = await openWait(subject, '/echo')
        await open.arrived('first')
        await made(subject)
        if (ends) expect((await open.answer()).whole).toBe(false)
        else await open.leave()
      })

      test('request whose body arrives later', async () => {
        const subject = await newSubject(nodes, kind)
        const slow = await Client.connect(nodes.there.port)
        const body = JSON.stringify({ command: 'go' })
        const headers = { authorization: `Bearer ${subject.credential}`, 'content-type': 'application/json' }
        const whole = requestOf('PUT', `/producer/request/${subject.deviceId}`, { headers, body })
        const text = Buffer.from(whole).toString()
        await slow.send(text.slice(0, -4))
        await request(nodes.there.port, 'GET', '/nothing')
        await made(subject)
        await slow.send(text.slice(-4))
        const { status } = await slow.answer()
        if (ends) expect([401, 403]).toContain(status)
        else expect(status).toBe(200)
        const found = await nodes.here.rest.get(`/admin/api/messages?deviseId=${subject.deviceId}`)
        expect((found.body as unknown[]).length).toBe(ends ? 0 : 1)
      })

      test('upload that is read as it arrives', async () => {
        const subject = await newSubject(nodes, kind)
        const slow = await Client.connect(nodes.there.port)
        const headers = { authorization: `Bearer ${subject.credential}` }
        const whole = Buffer.from(requestOf('POST', '/sink', { headers, body: 'first last' })).toString()
        await slow.send(whole.slice(0, -4))
        await request(nodes.there.port, 'GET', '/nothing')
        await made(subject)
        // The server may have answered and closed the connection before this part.
        await slow.send(whole.slice(-4))
        const answer = await slow.answer()
        if (ends) expect(answer.status).toBe(401)
        else expect(answer.json()).toBe('whole')
      })

      test('import that runs', async () => {
        const subject = await newSubject(nodes, kind, 'MAN')
        const lines = Array.from({ length: ends ? 200 : 2 }, (_, i) => `${subject.deviceId}-${i},secret`)
        const form = new FormData()
        form.append('file', new Blob([`deviseId,password\n${lines.join('\n')}`]), 'clients.csv')
        const response = await fetch(`${nodes.there.server.url}/admin/api/clients/import`, {
          ...{ method: 'POST', body: form, headers: { authorization: `Bearer ${subject.credential}` } },
        })
        const { id } = (await response.json()) as { id: number }
        await made(subject)
        const report = async () =>
          (await nodes.there.rest.get(`/admin/api/clients/import/${id}`)).body as Record<string, unknown>
        await eventually(async () => expect((await report()).state).not.toBe('RUNNING'))
        expect(await report()).toMatchObject({ state: ends ? 'STOPPED' : 'DONE', lines: lines.length })
      })

      test.each([4, 5] as const)('MQTT connection of version %i', async (protocolVersion) => {
        const subject = await newSubject(nodes, kind)
        const peer = await connect(subject, { protocolVersion })
        await peer.subscribe(command(subject.deviceId))
        const goodbye = ends && protocolVersion === 5 ? peer.packet('disconnect') : null
        await made(subject)
        const id = await sendOnce(subject.deviceId)
        if (!ends) {
          expect(JSON.parse((await peer.next()).text)).toMatchObject({ id })
          return
        }
        await peer.closed
        expect(await peer.unread()).toEqual([])
        const reason = event.name === 'client deleted' ? 0x87 : 0x98
        if (goodbye) expect((await goodbye).reasonCode).toBe(reason)
        await expectPending(subject.deviceId, id)
      })

      test('MQTT session that was left', async () => {
        const subject = await newSubject(nodes, kind)
        const lasting = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 3_600 } }
        const options = { ...lasting, protocolVersion: 5 as const }
        const peer = await connect(subject, options)
        await peer.subscribe('t/news')
        await peer.end()
        await made(subject)
        const again = await later(subject)
        const back = await connect(again, options)
        expect(back.connack.sessionPresent).toBe(!ends)
      })

      test.each(['t/will', 'producer/request/DEVICE'])('delayed will to %s', async (topic) => {
        const subject = await newSubject(nodes, kind)
        const name = `${topic.replace('DEVICE', `victim-${subject.deviceId}`)}`
        const payload = Buffer.from('{"command":"late"}')
        const will = {
          topic: name,
          payload,
          qos: 1 as const,
          retain: false,
          properties: { willDelayInterval: 1 },
        }
        const lasting = { clientId: 'will', clean: false, properties: { sessionExpiryInterval: 3_600 } }
        const watcher = await MqttPeer.connect({
          ...{ port: nodes.there.mqttPort, username: 'admin', password: ADMIN_PASSWORD },
        })
        await watcher.subscribe('t/will', 't/end', 'producer/request/+')
        const peer = await connect(subject, { ...lasting, protocolVersion: 5, will })
        await peer.drop()
        await made(subject)
        // A second will, of a client whose access holds, is due later and takes the same way, since a command is stored first.
        const control = await newSubject(nodes, 'key')
        const end = topic === 't/will' ? 't/end' : 'producer/request/end'
        const last = { ...will, topic: end }
        const other = await connect(control, { ...lasting, protocolVersion: 5, will: last })
        await other.drop()
        const seen: string[] = []
        while (seen.at(-1) !== end) seen.push((await watcher.next()).topic)
        expect(seen).toEqual(ends ? [end] : [name, end])
      })
    })

    /** Returns the subject as it logs in after the event: by its password, or as a new client of the same name. */
    async function later(subject: Subject): Promise<Subject> {
      const { rest } = nodes.here
      if (event.name === 'client deleted') {
        await rest.post('/admin/api/clients', {
          deviseId: subject.deviceId,
          password: PASSWORD,
          role: 'DEVISE',
        })
      }
      if (event.name === 'new device id') {
        await rest.put(`/admin/api/clients/${subject.clientId}`, { deviseId: subject.deviceId })
      }
      if (event.name.startsWith('new role')) {
        await rest.put(`/admin/api/clients/${subject.clientId}`, { role: 'DEVISE' })
      }
      return { ...subject, credential: event.name === 'new password' ? 'another' : PASSWORD }
    }
  })

  describe(`devices of the client change`, () => {
    const leave = ({ clientId }: Subject, change: object = { devices: [] }) =>
      nodes.here.rest.put(`/admin/api/clients/${clientId}`, change)

    test.each(CREDENTIALS)('poll that waits for a device that left, by %s → 403', async (kind) => {
      const subject = await newSubject(nodes, kind)
      const waiting = await openHeld(subject, `/consumer/getLastMessage/${subject.behind}?wait=60`)
      const answer = waiting.answer()
      expect((await leave(subject)).status).toBe(200)
      const id = await sendOnce(subject.behind)
      expect(shown(await answer)).toEqual(expected(403))
      await expectPending(subject.behind, id)
    })

    test('poll that waits for its own queue → goes on', async () => {
      const subject = await newSubject(nodes, 'token')
      const waiting = await openHeld(subject, `/consumer/getLastMessage/${subject.deviceId}?wait=60`)
      await leave(subject)
      const id = await sendOnce(subject.deviceId)
      expect((await waiting.answer()).json()).toMatchObject([{ id }])
    })

    test('poll of any queue, then ownQueueOnly → 403', async () => {
      const subject = await newSubject(nodes, 'token')
      await leave(subject, { ownQueueOnly: false })
      const waiting = await openHeld(subject, `/consumer/getLastMessage/foreign-${subject.deviceId}?wait=60`)
      const answer = waiting.answer()
      await leave(subject, { ownQueueOnly: true })
      const id = await sendOnce(`foreign-${subject.deviceId}`)
      expect(shown(await answer)).toEqual(expected(403))
      await expectPending(`foreign-${subject.deviceId}`, id)
    })

    test('wait for the status of a command of a device that left → 404', async () => {
      const subject = await newSubject(nodes, 'token')
      const id = await nodes.here.send(subject.behind, { command: 'go' })
      const waiting = await openHeld(subject, `/producer/getMessageStatus/${id}?wait=60`)
      const answer = waiting.answer()
      await leave(subject)
      expect((await answer).status).toBe(404)
    })
  })

  test(`an API key expires, adapter ${ADAPTER} → the waits of it end at that time`, async () => {
    const subject = await newSubject(nodes, 'key')
    const { here, there } = nodes
    const keys = `/admin/api/clients/${subject.clientId}/keys`
    const { body } = await here.rest.post(keys, { expiresDate: Date.now() + 2_000 })
    const short = { ...subject, credential: (body as { key: string }).key }
    const waiting = await openHeld(short, `/consumer/getLastMessage/${subject.deviceId}?wait=60`)
    expect(shown(await waiting.answer())).toEqual(expected(401))
    await expectPending(subject.deviceId, await sendOnce(subject.deviceId))
    expect(there.server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})
