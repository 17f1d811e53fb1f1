/**
 * Access that ends, ends everywhere: each event on each holder of access. Over PostgreSQL the holder is on one node, and the event
 * happens on another. After the answer to the change nothing may reach the holder, and the command waits for the rightful device.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { CREDENTIALS, EVENTS, type Nodes, newSubject, type Subject } from '../_support/access-holders.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { type Answer, Client, request, requestOf } from '../_support/http.ts'
import { OVER_POSTGRES } from '../_support/shared-database.ts'

const ENV = { MQTT_EXTRA_TOPICS: 't/#', COMMON_SEND_MESSAGE_PERIOD: '0' }

/** Bodies of the specification. */
const BODIES: Readonly<Record<number, string>> = {
  401: '{"error":"Unauthorized"}',
  403: '{"error":"Forbidden"}',
}

let nodes: Nodes
beforeAll(async () => {
  const here = await BrokerUnderTest.start({ mqtt: true, env: ENV })
  const there = OVER_POSTGRES
    ? await BrokerUnderTest.start({ dataDir: here.leftBehind(), mqtt: true, env: ENV })
    : here
  nodes = { here, there }
})

/** Opens a request of a subject that the server holds open. */
async function openWait(subject: Subject, target: string): Promise<Client> {
  const { port } = nodes.there
  const waiting = await Client.connect(port)
  await waiting.send(requestOf('GET', target, { headers: { authorization: `Bearer ${subject.credential}` } }))
  // The answer to a later request shows that the server has read the first one.
  await request(port, 'GET', '/nothing')
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
  expect(await nodes.here.next(deviceId)).toBe(id)
}

describe.each(EVENTS)(`$name, adapter ${ADAPTER}`, (event) => {
  test.each(CREDENTIALS)('poll that waits, by %s', async (kind) => {
    const subject = await newSubject(nodes, kind)
    const { deviceId } = subject
    const waiting = await openWait(subject, `/consumer/getLastMessage/${deviceId}?wait=60`)
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
    const waiting = await openWait(subject, `/producer/getMessageStatus/${id}?wait=60`)
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

describe(`devices of the client change, adapter ${ADAPTER}`, () => {
  const leave = ({ clientId }: Subject, change: object = { devices: [] }) =>
    nodes.here.rest.put(`/admin/api/clients/${clientId}`, change)

  test.each(CREDENTIALS)('poll that waits for a device that left, by %s → 403', async (kind) => {
    const subject = await newSubject(nodes, kind)
    const waiting = await openWait(subject, `/consumer/getLastMessage/${subject.behind}?wait=60`)
    const answer = waiting.answer()
    expect((await leave(subject)).status).toBe(200)
    const id = await sendOnce(subject.behind)
    expect(shown(await answer)).toEqual(expected(403))
    await expectPending(subject.behind, id)
  })

  test('poll that waits for its own queue → goes on', async () => {
    const subject = await newSubject(nodes, 'token')
    const waiting = await openWait(subject, `/consumer/getLastMessage/${subject.deviceId}?wait=60`)
    await leave(subject)
    const id = await sendOnce(subject.deviceId)
    expect((await waiting.answer()).json()).toMatchObject([{ id }])
  })

  test('poll of any queue, then ownQueueOnly → 403', async () => {
    const subject = await newSubject(nodes, 'token')
    await leave(subject, { ownQueueOnly: false })
    const waiting = await openWait(subject, `/consumer/getLastMessage/foreign-${subject.deviceId}?wait=60`)
    const answer = waiting.answer()
    await leave(subject, { ownQueueOnly: true })
    const id = await sendOnce(`foreign-${subject.deviceId}`)
    expect(shown(await answer)).toEqual(expected(403))
    await expectPending(`foreign-${subject.deviceId}`, id)
  })

  test('wait for the status of a command of a device that left → 404', async () => {
    const subject = await newSubject(nodes, 'token')
    const id = await nodes.here.send(subject.behind, { command: 'go' })
    const waiting = await openWait(subject, `/producer/getMessageStatus/${id}?wait=60`)
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
  const waiting = await openWait(short, `/consumer/getLastMessage/${subject.deviceId}?wait=60`)
  expect(shown(await waiting.answer())).toEqual(expected(401))
  await expectPending(subject.deviceId, await sendOnce(subject.deviceId))
  expect(there.server.log.filter(({ level }) => level === 'error')).toEqual([])
})
