/** A server that was killed and starts again when deadlines have passed. All state of commands that end is as it was. */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { LIMIT_MS } from '../_support/limits.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'
import type { ServerProcess } from '../_support/server.ts'
import { databaseIn, rowsOf } from '../_support/stored.ts'
import { attachStrace } from '../_support/strace.ts'

vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS })

/** A term that ends while the server is down, in seconds. */
const SHORT = 2
const DAY = 86_400

type Broker = BrokerUnderTest<ServerProcess>

/** Polls until the message has had this number of attempts. A further attempt is durable when the poll answers. */
async function attempt(broker: Broker, deviceId: string, wanted: number): Promise<void> {
  await eventually(async () => {
    const { body } = await broker.rest.get(`/consumer/getLastMessage/${deviceId}?details=true`)
    expect(body).toMatchObject([{ attempt: wanted }])
  })
}

/** Kills a server, waits until the terms of `SHORT` seconds are over, and starts the next one. */
async function killAndWait(broker: Broker, options: { mqtt?: boolean } = {}): Promise<Broker> {
  const overMs = Date.now() + SHORT * 1000
  await broker.server.kill('SIGKILL')
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(overMs), { timeout: LIMIT_MS })
  return BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS, dataDir: broker.dataDir, ...options })
}

const details = async (broker: Broker, id: number): Promise<unknown> =>
  (await broker.rest.get(`/producer/getMessageStatus/${id}?details=true`)).body

describe('server killed, started when deadlines have passed', () => {
  let broker: Broker
  const ids: Record<string, number> = {}
  const KEYED = { command: 'go', idempotencyKey: 'key' }

  beforeAll(async () => {
    const first = await BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS })
    const send = async (device: string, more = {}) => {
      ids[device] = await first.send(device, { command: 'go', ...more })
    }
    ids.parked = await sendAndPark(first, 'parked')
    await send('attempts')
    await attempt(first, 'attempts', 2)
    await send('busy')
    await first.acknowledge('busy', { busySeconds: DAY })
    await send('keyed', KEYED)
    await Promise.all([
      send('never-dispatched', { validSeconds: SHORT }),
      send('delayed', { delaySeconds: SHORT }),
      send('unfinished', { finishSeconds: SHORT }).then(() =>
        first.acknowledge('unfinished', { id: ids.unfinished, deliveryStatus: 'DELIVERED' }),
      ),
      send('dispatched', { validSeconds: SHORT }).then(() => attempt(first, 'dispatched', 2)),
    ])
    broker = await killAndWait(first)
    return () => broker.server.kill()
  })

  test.each([
    ['never-dispatched', 'CANCELLED', 'EXPIRED', 0],
    ['dispatched', 'UNKNOWN', 'EXPIRED', 2],
    ['unfinished', 'UNKNOWN', 'NOT_FINISHED', 0],
    ['parked', 'UNKNOWN', 'NOT_ACKNOWLEDGED', 1],
  ])('%s → %s with cause %s, before the first dispatch', async (device, deliveryStatus, cause, least) => {
    expect(await broker.next(device)).toBeNull()
    const found = (await details(broker, ids[device] as number)) as { attempts: number }
    expect(found).toMatchObject({ deliveryStatus, cause })
    expect(found.attempts).toBeGreaterThanOrEqual(least)
  })

  test('a delay that ended meanwhile → dispatched', async () => {
    expect(await broker.next('delayed')).toBe(ids.delayed)
  })

  test('a message with two attempts → the next attempt is the third', async () => {
    await attempt(broker, 'attempts', 3)
  })

  test('a busy device → no dispatch until it ends the pause', async () => {
    expect(await broker.next('busy')).toBeNull()
    await broker.acknowledge('busy', { busySeconds: 0 })
    expect(await broker.next('busy')).toBe(ids.busy)
  })

  test('an idempotency key → the same id, nothing stored', async () => {
    const answer = await broker.request('keyed', KEYED)
    expect(answer.body).toMatchObject({ id: ids.keyed, deliveryStatus: 'NOT_DELIVERED' })
    expect(answer.headers.get('idempotency-replayed')).toBe('true')
    expect((await broker.request('keyed', { ...KEYED, command: 'stop' })).status).toBe(422)
  })
})

test('server killed, started past a validity → a device that connects at once receives the next command only', async () => {
  const first = await BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS, mqtt: true })
  const expired = await first.send('pump', { command: 'go', validSeconds: SHORT })
  const next = await first.send('pump', { command: 'go' })
  const broker = await killAndWait(first, { mqtt: true })
  const login = { port: broker.mqttPort, username: 'admin', password: ADMIN_PASSWORD }
  const device = await MqttPeer.connect(login)
  await device.subscribe('consumer/request/pump')

  expect(JSON.parse((await device.next()).text)).toMatchObject({ id: next })
  expect(await broker.status(expired)).toBe('CANCELLED')
})

/** Delays each sync by 2 s, so that a kill finds a change that is committed and not announced. */
const SLOW_SYNCS = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:delay_enter=2000000']

test('server killed between a park and its notification → parked, and the next command is dispatched', async () => {
  const first = await BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS, mqtt: true })
  const producer = await MqttPeer.connect({
    ...{ port: first.mqttPort, username: 'admin', password: ADMIN_PASSWORD },
  })
  await producer.subscribe('producer/response/admin')
  const birth = { messageBirthCertificate: { tmpId: 5, producerDeviseId: 'admin', details: true } }
  const id = await first.send('pump', { command: 'go', maxAttempts: 1, ...birth })
  const next = await first.send('pump', { command: 'go' })
  expect(JSON.parse((await producer.next()).text)).toMatchObject({ id, deliveryStatus: 'NOT_DELIVERED' })
  // The park follows the poll after a millisecond.
  const isSlow = (await attachStrace(first.server.pid, SLOW_SYNCS)) !== null
  expect(await first.next('pump')).toBe(id)

  const statuses = `SELECT status FROM messages WHERE id = ${id}`
  await eventually(() => expect(rowsOf(databaseIn(first.dataDir), statuses)).toEqual([{ status: 'UNKNOWN' }]))
  await first.server.kill('SIGKILL')
  await producer.closed

  if (isSlow) await expect(producer.next()).rejects.toThrow('without a message')
  const broker = await BrokerUnderTest.spawn({ env: SHORT_ATTEMPTS, dataDir: first.dataDir })
  const parked = { deliveryStatus: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', attempts: 1 }
  expect(await details(broker, id)).toMatchObject(parked)
  expect(await broker.next('pump')).toBe(next)
  expect((await broker.rest.post(`/producer/replayMessage/${id}`, {})).body).toEqual({
    deliveryStatus: 'NOT_DELIVERED',
  })
})
