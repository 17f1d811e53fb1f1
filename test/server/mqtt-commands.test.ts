/** Commands and acknowledgements over each MQTT version use the same queue as over REST. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { MqttPeer, VERSIONS } from '../_support/mqtt.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  const dataDir = await withClients('lamp', 'radio', 'a/b')
  const env = { WAYBILL_QUEUE_LIMIT: '3', MQTT_EXTRA_TOPICS: 'telemetry/#' }
  broker = await BrokerUnderTest.start({ dataDir, mqtt: true, env })
})

const login = { username: 'lamp', password: PASSWORD }
const connect = (protocolVersion: 3 | 4 | 5, options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port: broker.mqttPort, protocolVersion, clientId: 'x', ...login, ...options })

describe.each(VERSIONS)('MQTT level %i', (version) => {
  let peer: MqttPeer
  beforeEach(async () => {
    peer = await connect(version)
    await peer.subscribe('producer/error/lamp')
  })
  afterEach(() => peer.drop())
  const device = `device-${version}`

  test.each([0, 1, 2] as const)('a command of QoS %i → pending for its device', async (qos) => {
    const to = `${device}-${qos}`
    const text = '{"command":"start","data":{"big":12345678901234567890,"speed":1.0}}'
    await peer.publish(`producer/request/${to}`, text, { qos })
    expect(await peer.rest()).toEqual([])
    // QoS 0 has no acknowledgement, so the test polls.
    const answer = '"command":"start","believerGuarantee":"RECEIPT_CONFIRMATION",'
    const data = '"data":{"big":12345678901234567890,"speed":1.0}'
    await expect.poll(async () => (await broker.poll(to)).text).toContain(answer + data)
  })

  test('an acknowledgement → the status, as over REST', async () => {
    const id = await broker.send(device, { command: 'on' })
    await peer.publish(`consumer/response/${device}`, { id })
    expect(await broker.status(id)).toBe('DELIVERED')
    await peer.publish(`consumer/response/${device}`, { id, deliveryStatus: 'COMPLETED' })
    expect(await broker.status(id)).toBe('COMPLETED')
  })

  test.each([
    ['a body that is not JSON', '{', 'Bad Request', /not valid JSON/],
    ['a body that is not UTF-8', Buffer.from('7b22c328', 'hex'), 'Bad Request', /UTF-8/],
    ['a body that is a list', '[]', 'Bad Request', /must be a JSON object/],
    ['no command name', '{}', 'Bad Request', /"command" is missing/],
    ['data that is not an object', '{"command":"on","data":[]}', 'Bad Request', /"data"/],
    ['an unknown guarantee', '{"command":"on","believerGuarantee":"no"}', 'Bad Request', /NO,/],
  ])('a command with %s → its sender gets the error, nothing is stored', async (_what, text, error, why) => {
    const topic = `producer/request/${device}-bad`
    const sent = peer.publish(topic, text)
    if (version === 5) await expect(sent).rejects.toMatchObject({ code: 0x99 })
    else await sent
    const received = await peer.next()
    expect(received.topic).toBe('producer/error/lamp')
    expect(JSON.parse(received.text)).toEqual({ error, message: expect.stringMatching(why), topic })
    expect((await broker.poll(`${device}-bad`)).body).toEqual([])
  })

  test('an acknowledgement for an unknown or settled message, or with a wrong status → its sender gets the error', async () => {
    const topic = `consumer/response/${device}`
    const id = await broker.send(device, { command: 'on' })
    await peer.publish(topic, { id, deliveryStatus: 'COMPLETED' })
    for (const [payload, error] of [
      [{ id: 999_999 }, 'Not Found'],
      [{ id, deliveryStatus: 'COMPLETED_WITH_ERROR' }, 'Conflict'],
      [{ id, deliveryStatus: 'CANCELLED' }, 'Bad Request'],
    ] as const) {
      await peer.publish(topic, payload).catch((refused) => expect(refused.code).toBeGreaterThanOrEqual(0x80))
      expect(JSON.parse((await peer.next()).text)).toMatchObject({ error, topic })
    }
  })

  test('a full queue → the error, PUBACK 0x97 in version 5, no PUBACK before; the connection stays', async () => {
    const topic = `producer/request/${device}-full`
    for (let i = 0; i < 3; i++) await peer.publish(topic, { command: 'on' })
    const outcome = peer.publish(topic, { command: 'on' }).then(
      () => 'acknowledged',
      (refused) => refused.code,
    )
    const error = JSON.parse((await peer.next()).text)
    expect(error).toEqual({ error: 'Too Many Requests', message: expect.any(String), topic })
    const later = peer.publish('telemetry/x', '1').then(() => 'not acknowledged')
    expect(await Promise.race([outcome, later])).toBe(version === 5 ? 0x97 : 'not acknowledged')
  })

  test('a retained command → pending, not retained', async () => {
    await peer.publish(`producer/request/${device}-kept`, { command: 'on' }, { retain: true })
    await peer.subscribe(`producer/request/${device}-kept`)
    expect(await peer.rest()).toEqual([])
    expect(await broker.next(`${device}-kept`)).toBeGreaterThan(0)
  })

  test('a will on a command topic → published, and pending as a command', async () => {
    const will = {
      topic: `producer/request/${device}-will`,
      payload: '{"command":"alarm"}',
      qos: 1,
      retain: true,
    }
    const dying = await connect(version, { clientId: 'dying', will })
    await peer.subscribe(`producer/request/${device}-will`)
    await dying.drop()
    await peer.next()
    expect((await broker.poll(`${device}-will`)).body).toMatchObject([{ command: 'alarm' }])
    expect(await peer.rest()).toEqual([])
  })

  test('a topic that is not allowed → dropped, its sender gets Forbidden', async () => {
    await peer.subscribe('consumer/request/radio')
    for (const topic of [
      'consumer/request/radio',
      'producer/response/lamp',
      'weather',
      'producer/request/a/b',
    ]) {
      const sent = peer.publish(topic, { command: 'on' })
      if (version === 5) await expect(sent).rejects.toMatchObject({ code: 0x87 })
      await sent.catch(() => {})
      expect(JSON.parse((await peer.next()).text)).toMatchObject({ error: 'Forbidden', topic })
    }
  })

  test('allowed and refused filters in one SUBSCRIBE → a code for each', async () => {
    const refused = version === 5 ? 0x87 : 0x80
    const granted = await peer.subscribe(
      '#',
      'consumer/request/lamp',
      '$SYS/#',
      'telemetry/+',
      '+/request/lamp',
    )
    expect(granted).toEqual([refused, 1, refused, 1, refused])
  })
})

test('MQTT commands: several at once → queued in order', async () => {
  const peer = await connect(4, { clientId: 'many' })
  const sent = [1, 2, 3].map((n) => peer.publish('producer/request/ordered', { command: `c${n}` }))
  await Promise.all(sent)
  for (const n of [1, 2, 3]) {
    const { body } = await broker.poll('ordered')
    const [{ id, command }] = body as [{ id: number; command: string }]
    expect(command).toBe(`c${n}`)
    await broker.acknowledge('ordered', { id })
  }
})

test('MQTT commands: a device id with a slash → Forbidden; over REST → pending', async () => {
  const peer = await connect(4, { clientId: 'levels' })
  await peer.subscribe('producer/error/lamp')
  await peer.publish('producer/request/a/b', { command: 'on' })
  expect(JSON.parse((await peer.next()).text)).toMatchObject({ error: 'Forbidden' })
  await broker.send('a/b', { command: 'on' })
  expect(await broker.next('a/b')).toBeGreaterThan(0)
})

test('MQTT topics: the admin → # and $SYS/# granted, $share and other $ topics refused, any topic published', async () => {
  const admin = await connect(4, { clientId: 'y', username: 'admin', password: ADMIN_PASSWORD })
  expect(await admin.subscribe('#', '$SYS/#', '$share/g/#', '$other')).toEqual([1, 1, 128, 128])
  await admin.publish('weather', 'fine', { qos: 0 })
  let message = await admin.next()
  while (message.topic.startsWith('$SYS/')) message = await admin.next()
  expect(message).toMatchObject({ topic: 'weather', text: 'fine' })
})
