/** Tests logins over MQTT, and sessions. */
import { beforeAll, describe, expect, test } from 'vitest'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { Client } from '../_support/http.ts'
import { MqttPeer, refusalOf, VERSIONS } from '../_support/mqtt.ts'
import { call } from '../_support/rest.ts'

let broker: BrokerUnderTest
beforeAll(async () => {
  const dataDir = await withClients('lamp', 'radio', 'victim')
  const env = { MQTT_EXTRA_TOPICS: 'telemetry/#' }
  broker = await BrokerUnderTest.start({ dataDir, mqtt: true, env })
})

const LAMP = { username: 'lamp', password: PASSWORD }
const connect = (options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port: broker.mqttPort, ...LAMP, ...options })
const refusal = (options: object): Promise<number | null> => refusalOf({ port: broker.mqttPort, ...options })
const tokenOf = async (deviseId: string, password: string): Promise<string> => {
  const { body } = await call(broker.server.url, 'POST', '/auth/login', { deviseId, password })
  return (body as { accessToken: string }).accessToken
}

describe.each(VERSIONS)('login over MQTT level %i', (protocolVersion) => {
  const [bad, refused] = protocolVersion === 5 ? [0x86, 0x87] : [4, 5]

  test('the password, or a token in its place → accepted', async () => {
    expect(await refusal({ protocolVersion, ...LAMP })).toBeNull()
    const token = await tokenOf('lamp', PASSWORD)
    expect(await refusal({ protocolVersion, username: 'lamp', password: token })).toBeNull()
  })

  test('wrong password, unknown client, token of another client, no credentials → refused', async () => {
    const token = await tokenOf('lamp', PASSWORD)
    expect(await refusal({ protocolVersion, username: 'lamp', password: 'guess' })).toBe(bad)
    expect(await refusal({ protocolVersion, username: 'ghost', password: PASSWORD })).toBe(bad)
    expect(await refusal({ protocolVersion, username: 'radio', password: token })).toBe(bad)
    expect(await refusal({ protocolVersion, username: 'lamp', password: `${token}x` })).toBe(bad)
    expect(await refusal({ protocolVersion })).toBe(refused)
    expect(await refusal({ protocolVersion, username: 'lamp' })).toBe(refused)
  })
})

test('login over MQTT: failures over MQTT and REST → count together, the client is locked out of both', async () => {
  const login = (password: string) =>
    call(broker.server.url, 'POST', '/auth/login', { deviseId: 'victim', password })
  for (let i = 0; i < LOGIN_FAILURES.allowed; i++) {
    const password = `guess ${i}`
    if (i % 2 === 0) expect((await login(password)).status).toBe(401)
    else expect(await refusal({ username: 'victim', password })).toBe(4)
  }
  expect(await refusal({ username: 'victim', password: PASSWORD })).toBe(3)
  expect((await login(PASSWORD)).status).toBe(429)
  expect(await refusal(LAMP)).toBeNull()
})

describe('MQTT session', () => {
  test('empty client id → accepted only with a clean session', async () => {
    expect(await refusal({ ...LAMP, clientId: '', clean: true })).toBeNull()
    // The client library refuses to send this CONNECT: level 4, clean session 0, empty client id.
    const bytes = Buffer.from('10120004 4d515454 04c0003c 0000 0001 61 0001 62'.replaceAll(' ', ''), 'hex')
    const raw = await Client.connect(broker.mqttPort)
    await raw.send(bytes)
    await raw.arrived('\x20\x02\x00\x02')
    await raw.closed
  })

  test('the same client id connects again → the first connection ends with 0x8e', async () => {
    const first = await connect({ clientId: 'same', protocolVersion: 5 })
    const goodbye = first.packet('disconnect')
    const second = await connect({ clientId: 'same', protocolVersion: 5 })
    expect((await goodbye).reasonCode).toBe(0x8e)
    await first.closed
    expect(await second.subscribe('telemetry/x')).toEqual([1])
  })

  test('another client with the same client id → a session of its own', async () => {
    const lamp = await connect({ clientId: 'mine', clean: false })
    await lamp.subscribe('telemetry/secret')
    await lamp.end()
    const other = await connect({ clientId: 'mine', clean: false, username: 'radio' })
    await other.publish('telemetry/secret', 'for the lamp')
    expect(await other.rest()).toEqual([])
    const again = await connect({ clientId: 'mine', clean: false })
    expect(await again.next()).toMatchObject({ text: 'for the lamp' })
    expect(other.client.connected).toBe(true)
  })

  test('a kept session comes back → its messages, but no command and none of a refused filter', async () => {
    const session = { clientId: 'kept', clean: false }
    const peer = await connect(session)
    const filters = ['telemetry/#', 'consumer/request/lamp', 'producer/request/+', 'weather']
    expect(await peer.subscribe(...filters)).toEqual([1, 1, 1, 128])
    await peer.end()
    const admin = await connect({ username: 'admin', password: ADMIN_PASSWORD })
    await admin.publish('producer/request/lamp', { command: 'on' })
    await broker.acknowledge('lamp', { id: await broker.next('lamp') })
    // Enough bytes to leave no room for other messages, if the session kept them.
    for (let i = 0; i < 6; i++) await admin.publish('weather', Buffer.alloc(200_000))
    for (const text of ['1', '2', '3']) await admin.publish('telemetry/x', text, { retain: true })
    const back = await connect(session)
    for (const text of ['1', '2', '3']) {
      expect(await back.next()).toMatchObject({ topic: 'telemetry/x', text, packet: { retain: false } })
    }
    expect(await back.rest()).toEqual([])
  })

  test('QoS 2, the same PUBLISH twice → stored once', async () => {
    const peer = await connect({ clientId: 'twice', clean: false })
    // PUBLISH, and once more with DUP, before any PUBREL.
    const payload = '{"command":"once"}'
    const packet = { cmd: 'publish', topic: 'producer/request/twice', payload, qos: 2, messageId: 9 } as const
    const send = (dup: boolean): void => peer.raw({ ...packet, dup, retain: false })
    const pubrec = peer.packet('pubrec')
    send(false)
    send(true)
    await pubrec
    await peer.rest()
    const { body } = await broker.poll('twice')
    const [{ id }] = body as [{ id: number }]
    await broker.acknowledge('twice', { id })
    expect((await broker.poll('twice')).body).toEqual([])
  })

  test('clean session, packet identifier of an earlier session → stored as a new message', async () => {
    const publish = async (clean: boolean, command: string): Promise<void> => {
      const peer = await connect({ clientId: 'forgets', clean })
      const pubrec = peer.packet('pubrec')
      const payload = JSON.stringify({ command })
      const topic = 'producer/request/forgets'
      peer.raw({ cmd: 'publish', topic, payload, qos: 2, messageId: 9, dup: false, retain: false })
      await pubrec
      await peer.drop()
    }
    await publish(false, 'first')
    await publish(true, 'second')
    await broker.acknowledge('forgets', { id: await broker.next('forgets') })
    expect((await broker.poll('forgets')).body).toMatchObject([{ command: 'second' }])
  })
})

test('login over MQTT: APP_SECURITY_PERMIT_ALL is on → no credentials needed, every topic allowed', async () => {
  const env = { APP_SECURITY_PERMIT_ALL: 'true' }
  const open = await BrokerUnderTest.start({ mqtt: true, env })
  const peer = await MqttPeer.connect({ port: open.mqttPort })
  expect(await peer.subscribe('#')).toEqual([1])
  await peer.publish('consumer/request/lamp', 'x', { qos: 0 })
  expect(await peer.next()).toMatchObject({ topic: 'consumer/request/lamp' })
  await peer.publish('producer/request/lamp', { command: 'on' })
  expect(await open.next('lamp')).toBeGreaterThan(0)
})

test('server stops: MQTT clients are connected → DISCONNECT 0x8b, exit code 0', async () => {
  const own = await BrokerUnderTest.start({ mqtt: true, dataDir: await withClients('lamp') })
  const peer = await MqttPeer.connect({ port: own.mqttPort, ...LAMP, protocolVersion: 5 })
  const silent = await Client.connect(own.mqttPort)
  const goodbye = peer.packet('disconnect')
  const ended = own.server.kill('SIGTERM')
  expect((await goodbye).reasonCode).toBe(0x8b)
  await silent.closed
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})
