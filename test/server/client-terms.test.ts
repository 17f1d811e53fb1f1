/** `waybill/client` and commands that end: terms, idempotent submits, waits, cancel, replay, results and pauses. */
import { beforeAll, describe, expect, test } from 'vitest'
import { Client, RequestError } from '../../src/client/index.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { startCutProxy } from '../_support/cut-proxy.ts'
import { eventually } from '../_support/eventually.ts'

/** Duration of a first attempt, so short that a message of one attempt is parked at once. */
const ATTEMPT_MS = '20'

let broker: BrokerUnderTest
let client: Client
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: ATTEMPT_MS } })
  client = new Client({ url: broker.server.url, token: broker.token })
})

/** Sends a message and lets its only attempt pass. */
async function park(deviceId: string): Promise<number> {
  const { id } = await client.send(deviceId, 'start', {}, { maxAttempts: 1 })
  expect(await client.poll(deviceId)).toMatchObject({ id })
  await eventually(async () => {
    await client.poll(deviceId)
    expect(await client.status(id)).toBe('UNKNOWN')
  })
  return id
}

describe('send', () => {
  test('every term → shown by the message', async () => {
    const terms = { validSeconds: 60, finishSeconds: 600, delaySeconds: 10, maxAttempts: 3 }
    const { id } = await client.send('pump', 'start', {}, terms)
    expect(await client.message(id)).toMatchObject({ id, deliveryStatus: 'NOT_DELIVERED', terms })
  })

  test('terms that contradict each other → RequestError 400', async () => {
    const sent = client.send('pump', 'start', {}, { validSeconds: 10, delaySeconds: 10 })
    await expect(sent).rejects.toMatchObject({ name: 'RequestError', status: 400 })
  })

  test('replaces a message → that one is CANCELLED', async () => {
    const { id: old } = await client.send('valve', 'open')
    const { id } = await client.send('valve', 'close', {}, { replaces: old })
    expect(await client.status(old)).toBe('CANCELLED')
    expect(await client.poll('valve')).toMatchObject({ id, command: 'close' })
  })

  test('the same key twice → one message; with other content → RequestError 422', async () => {
    const first = await client.send('lamp', 'on', { level: 1 }, { idempotencyKey: 'order-1' })
    expect(await client.send('lamp', 'on', { level: 1 }, { idempotencyKey: 'order-1' })).toEqual(first)
    const other = client.send('lamp', 'on', { level: 2 }, { idempotencyKey: 'order-1' })
    await expect(other).rejects.toMatchObject({ status: 422 })
    const { id } = await client.send('lamp', 'on', { level: 1 })
    expect(id).not.toBe(first.id)
  })

  test('the connection is lost after the server stored the message → repeated, one message', async () => {
    const proxy = await startCutProxy(broker.server.url, 2)
    const { id } = await new Client({ url: proxy.url, token: broker.token }).send('far', 'start')
    expect(proxy.connections()).toBe(3)
    const stored: number[] = []
    for await (const message of client.messages({ deviseId: 'far' })) stored.push(message.id)
    expect(stored).toEqual([id])
  })
})

describe('waitFor', () => {
  test('the device completes the message during the wait → COMPLETED', async () => {
    const { id } = await client.send('quick', 'start')
    const waiting = client.waitFor(id)
    await client.poll('quick')
    await client.acknowledge('quick', id, 'COMPLETED')
    expect(await waiting).toBe('COMPLETED')
  })

  test('a status that is not the last one → ends there', async () => {
    const { id } = await client.send('steps', 'start')
    const waiting = client.waitFor(id, ['DELIVERED'])
    await client.acknowledge('steps', id)
    expect(await waiting).toBe('DELIVERED')
  })

  test('the message expires, or is parked → CANCELLED, or UNKNOWN', async () => {
    const { id } = await client.send('away', 'start', {}, { validSeconds: 1 })
    expect(await client.waitFor(id)).toBe('CANCELLED')
    expect(await client.waitFor(await park('mute'), ['COMPLETED'])).toBe('UNKNOWN')
  })
})

describe('cancel and replay', () => {
  test('a message that was never dispatched → CANCELLED', async () => {
    const { id } = await client.send('idle', 'start')
    expect(await client.cancel(id)).toEqual({ deliveryStatus: 'CANCELLED', handedOver: false })
  })

  test('a message in flight → RequestError 409, with force CANCELLED', async () => {
    const { id } = await client.send('taken', 'start')
    await client.poll('taken')
    const refused = await client.cancel(id).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RequestError)
    expect(refused).toMatchObject({ status: 409, body: { deliveryStatus: 'NOT_DELIVERED', attempts: 1 } })
    expect(await client.cancel(id, { force: true })).toEqual({
      deliveryStatus: 'CANCELLED',
      handedOver: true,
    })
  })

  test('all messages of a device with a command → their ids, and those that were dispatched', async () => {
    const send = async (command: string) => (await client.send('many', command)).id
    const [first, other, last] = [await send('start'), await send('stop'), await send('start')]
    await client.poll('many')
    const one = await client.cancelAll('many', { command: 'start' })
    expect(one).toEqual({ cancelled: [last], handedOver: [first] })
    const all = await client.cancelAll('many', { force: true })
    expect(all).toEqual({ cancelled: [first, other], handedOver: [first] })
  })

  test('a parked message is replayed → pending again; a pending one → RequestError 409', async () => {
    const id = await park('deaf')
    expect(await client.replay(id)).toBe('NOT_DELIVERED')
    expect(await client.poll('deaf')).toMatchObject({ id })
    await expect(client.replay(id)).rejects.toMatchObject({ status: 409 })
  })
})

test('acknowledge with result and reason → in the reports of messages, in the order of the ids', async () => {
  const { id: first } = await client.send('oven', 'bake')
  const { id: second } = await client.send('oven', 'cool')
  await client.acknowledge('oven', first, 'COMPLETED', { result: [20.5, 'warm'] })
  await client.acknowledge('oven', second, 'COMPLETED_WITH_ERROR', { reason: 'no power' })
  expect(await client.messages([second, 999_999, first])).toMatchObject([
    { id: second, deliveryStatus: 'COMPLETED_WITH_ERROR', reason: 'no power', result: null },
    { id: first, deliveryStatus: 'COMPLETED', reason: null, result: [20.5, 'warm'] },
  ])
  expect(await client.messages([])).toEqual([])
  expect(await client.message(first)).toMatchObject({ id: first, result: [20.5, 'warm'] })
})

test('busy → no command until its end; 0 → at once', async () => {
  const { id } = await client.send('press', 'start')
  expect(await client.busy('press', 600)).toBeGreaterThan(Date.now() + 500_000)
  expect(await client.poll('press')).toBe(null)
  expect(await client.busy('press', 0)).toBe(null)
  expect(await client.poll('press')).toMatchObject({ id })
})

test('poll that waits → the command that is sent meanwhile; with details; aborted → the reason of the signal', async () => {
  const polling = client.poll('waiting', { waitSeconds: 30 })
  const { id } = await client.send('waiting', 'start')
  expect(await polling).toMatchObject({ id })
  const details = { attempt: 1, remainingSeconds: null, finishSeconds: 60 }
  await client.send('detailed', 'start', {}, { finishSeconds: 60 })
  expect(await client.poll('detailed', { details: true })).toMatchObject(details)
  expect(await client.poll('detailed')).not.toHaveProperty('attempt')
  const stop = new AbortController()
  const aborted = client.poll('nothing', { waitSeconds: 30, signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(aborted).rejects.toThrow('enough')
})
