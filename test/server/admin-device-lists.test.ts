/** Tests the detailed list of devices, its counts, and the state of one device. */
import { expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { logIn } from '../_support/rest.ts'

const DEVICES = '/admin/api/devices'

interface Row {
  readonly deviseId: string
  readonly state: string
}

async function rows(broker: BrokerUnderTest, query = ''): Promise<Row[]> {
  const found: Row[] = []
  let next: string | undefined = `${DEVICES}?details=true&${query}`
  while (next) {
    const { status, body, headers } = await broker.rest.get(next)
    expect(status).toBe(200)
    found.push(...(body as Row[]))
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  }
  return found
}

const ids = async (broker: BrokerUnderTest, query = '') =>
  (await rows(broker, query)).map(({ deviseId }) => deviseId)

const counts = async (broker: BrokerUnderTest) =>
  (await broker.rest.get(`${DEVICES}/counts`)).body as Record<string, number>

async function connect(broker: BrokerUnderTest, deviceId: string): Promise<MqttPeer> {
  const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'admin', password: broker.token })
  await peer.subscribe(`consumer/request/${deviceId}`)
  return peer
}

test('devices: logins of devices, ids with messages or a connection → listed and counted; a person → not', async () => {
  const broker = await BrokerUnderTest.start({ mqtt: true })
  await broker.rest.post('/admin/api/clients', {
    deviseId: 'pump',
    password: 'sesame',
    description: 'Насос 7',
  })
  await broker.rest.post('/admin/api/clients', { deviseId: 'irina', password: 'sesame', role: 'READER' })
  await broker.send('valve', { command: 'open' })
  expect(await ids(broker)).toEqual(['pump', 'valve'])
  const peer = await connect(broker, 'sim-1')
  await connect(broker, 'admin')

  expect(await ids(broker)).toEqual(['pump', 'sim-1', 'valve'])
  expect(await ids(broker, 'state=ONLINE')).toEqual(['sim-1'])
  await expect
    .poll(() => counts(broker))
    .toMatchObject({ all: 3, online: 1, unseen: 2, pending: 1, awayPending: 1 })

  await broker.send('irina', { command: 'x' })
  expect(await ids(broker)).toEqual(['irina', 'pump', 'sim-1', 'valve'])
  await broker.rest.post('/admin/api/clients', { deviseId: 'a', password: 'sesame' })
  await peer.end()
  await expect.poll(() => ids(broker)).toEqual(['a', 'irina', 'pump', 'valve'])
  expect(await ids(broker, `search=${encodeURIComponent('насос')}`)).toEqual(['pump'])
  expect(await ids(broker, 'search=PU')).toEqual(['pump'])
  expect((await rows(broker, 'search=pump'))[0]).toMatchObject({ description: 'Насос 7', state: 'UNSEEN' })
})

test('devices: conditions → the list of each has as many devices as its count', async () => {
  const broker = await BrokerUnderTest.start()
  const pump = await logInNew(broker, 'pump')
  const failed = await broker.send('pump', { command: 'x' })
  await pump.post('/consumer/request/pump', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
  await broker.send('away', { command: 'x' })
  await broker.send('busy', { command: 'x' })
  await broker.rest.post('/consumer/request/busy', { busySeconds: 60 })
  await broker.rest.put(`${DEVICES}/silent`, { expectedSeconds: 1 })
  await broker.rest.post('/admin/api/clients', { deviseId: 'silent', password: 'sesame' })

  await expect.poll(async () => (await counts(broker)).silent, { timeout: 5_000 }).toBe(1)
  const all = await counts(broker)
  expect(all).toMatchObject({ all: 4, pending: 2, failed: 1, parked: 0, blocked: 0, busy: 1, silent: 1 })
  for (const condition of ['pending', 'blocked', 'parked', 'failed', 'busy', 'silent']) {
    expect([condition, (await ids(broker, `with=${condition.toUpperCase()}`)).length]).toEqual([
      condition,
      all[condition],
    ])
  }
  for (const state of ['online', 'recent', 'away', 'unseen']) {
    expect((await ids(broker, `state=${state.toUpperCase()}`)).length).toBe(all[state])
  }
  expect(await ids(broker, 'state=AWAY,UNSEEN&with=PENDING&limit=1')).toHaveLength(all.awayPending as number)
  expect(await ids(broker, 'with=PENDING,BUSY')).toEqual(['busy'])
})

async function logInNew(broker: BrokerUnderTest, deviseId: string) {
  await broker.rest.post('/admin/api/clients', { deviseId, password: 'sesame' })
  return logIn(broker.server.url, deviseId, 'sesame')
}

test('devices: each sort, both orders, pages of two → every device once, as sorted', async () => {
  const broker = await BrokerUnderTest.start()
  for (const [name, times] of [
    ['a', 1],
    ['b', 3],
    ['c', 2],
    ['d', 0],
    ['e', 0],
  ] as const) {
    await broker.rest.post('/admin/api/clients', {
      deviseId: name,
      password: 'sesame',
      description: `${9 - times} of ${name}`,
    })
    for (let i = 0; i < times; i++) await broker.send(name, { command: 'x' })
  }
  const sorted = (sort: string, order: string) => ids(broker, `sort=${sort}&order=${order}&limit=2`)
  expect(await sorted('id', 'desc')).toEqual(['e', 'd', 'c', 'b', 'a'])
  expect(await sorted('waiting', 'desc')).toEqual(['b', 'c', 'a', 'd', 'e'])
  expect(await sorted('oldest', 'asc')).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(await sorted('lastMessage', 'desc')).toEqual(['c', 'b', 'a', 'd', 'e'])
  expect(await sorted('description', 'asc')).toEqual(['b', 'c', 'a', 'd', 'e'])
  for (const sort of ['state', 'problem', 'lastSeen', 'delivery']) {
    expect((await sorted(sort, 'asc')).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
  }
  for (const query of ['sort=x', 'order=up', 'state=HERE', 'with=LUCK']) {
    expect((await broker.rest.get(`${DEVICES}?details=true&${query}`)).status).toBe(400)
  }
})

test('device: a silent poller → in flight with attempt and end; later blocked; cancelled → the queue goes on', async () => {
  const broker = await BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '300' } })
  const first = await broker.send('lift', { command: 'up' })
  const second = await broker.send('lift', { command: 'down' })
  const one = async () =>
    (await broker.rest.get(`${DEVICES}/lift?details=true`)).body as Record<string, unknown>
  expect(await one()).toMatchObject({
    inFlight: null,
    blockedSinceDate: null,
    pacedUntilDate: null,
    lastDeliveryMs: null,
  })
  expect(await broker.next('lift')).toBe(first)
  expect(await one()).toMatchObject({
    state: 'RECENT',
    inFlight: { id: first, command: 'up', attempt: 1, maxAttempts: 10, sinceDate: expect.any(Number) },
    blockedSinceDate: null,
  })
  const flight = async () => (await one()).inFlight as { attempt: number; until?: number; sinceDate: number }
  const polledAttempt = async () => {
    await broker.next('lift')
    return (await flight()).attempt
  }
  await expect.poll(polledAttempt, { timeout: 5_000 }).toBe(2)
  const { blockedSinceDate, inFlight } = (await one()) as {
    blockedSinceDate: number
    inFlight: { sinceDate: number }
  }
  expect(blockedSinceDate).toBeLessThan(inFlight.sinceDate)
  await expect.poll(() => counts(broker)).toMatchObject({ blocked: 1, pending: 1 })
  expect(await ids(broker, 'with=BLOCKED')).toEqual(['lift'])

  await broker.rest.post(`/admin/api/messages/${first}/cancel`, { force: true })
  await expect.poll(() => counts(broker)).toMatchObject({ blocked: 0 })
  expect(await one()).toMatchObject({ inFlight: null, blockedSinceDate: null })
  expect(await broker.next('lift')).toBe(second)
  await broker.acknowledge('lift', { id: second, deliveryStatus: 'COMPLETED' })
  expect(await one()).toMatchObject({ inFlight: null, lastDeliveryMs: expect.any(Number) })
})

test('device: an interval of its own → paced until its end', async () => {
  const broker = await BrokerUnderTest.start()
  await broker.rest.put(`${DEVICES}/lift`, { sendMessagePeriod: 3_600_000 })
  const id = await broker.send('lift', { command: 'up' })
  expect(await broker.next('lift')).toBe(id)
  await broker.acknowledge('lift', { id, deliveryStatus: 'COMPLETED' })
  const { body } = await broker.rest.get(`${DEVICES}/lift?details=true`)
  expect((body as { pacedUntilDate: number }).pacedUntilDate).toBeGreaterThan(Date.now() + 3_000_000)
})

test('device: its queue → the oldest messages first, with attempts and the numbers of commands', async () => {
  const broker = await BrokerUnderTest.start()
  const ids: number[] = []
  for (const command of ['up', 'down', 'up']) ids.push(await broker.send('lift', { command }))
  await broker.next('lift')
  const queue = async (query = '') => (await broker.rest.get(`${DEVICES}/lift/queue${query}`)).body
  expect(await queue('?limit=2')).toMatchObject({
    total: 3,
    commands: [
      { command: 'up', count: 2 },
      { command: 'down', count: 1 },
    ],
    items: [
      { id: ids[0], command: 'up', attempts: 1, data: {} },
      { id: ids[1], command: 'down', attempts: 0 },
    ],
  })
  await broker.rest.post(`${DEVICES}/lift/cancel`, { force: true })
  expect(await queue()).toEqual({ total: 0, commands: [], items: [] })
})
