/** API keys of a client: their life over REST and MQTT, and what ends them. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { MAX_KEYS } from '../../src/auth/errors.ts'
import { systemClock } from '../../src/broker/vocabulary/clock.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { addKey, type CreatedKey, clientIdOf } from '../_support/credentials.ts'
import { MqttPeer, refusalOf, VERSIONS } from '../_support/mqtt.ts'
import { call, tokenOf, withToken } from '../_support/rest.ts'
import { rowsIn } from '../_support/stored-rows.ts'

const UNAUTHORIZED = [401, '{"error":"Unauthorized"}']

let broker: BrokerUnderTest
let lampId: number
let keys: string

/** Time that has passed on the clock of the server, beside the real time. */
let passedMs: number
const clock = { ...systemClock, wallMs: () => Date.now() + passedMs }

beforeEach(async () => {
  passedMs = 0
  const dataDir = await withClients('lamp', 'radio')
  broker = await BrokerUnderTest.start({ dataDir, mqtt: true, replaced: { clock } })
  lampId = await clientIdOf(broker, 'lamp')
  keys = `/admin/api/clients/${lampId}/keys`
})

const meBy = async (key: string): Promise<unknown[]> => {
  const { status, text } = await withToken(broker.server.url, key).get('/auth/me')
  return [status, text]
}
const connect = (password: string, options: object = {}): Promise<MqttPeer> =>
  MqttPeer.connect({ port: broker.mqttPort, username: 'lamp', password, ...options })
const refusal = (
  password: string,
  username = 'lamp',
  protocolVersion: 3 | 4 | 5 = 4,
): Promise<number | null> => refusalOf({ port: broker.mqttPort, username, password, protocolVersion })

describe('API key over REST', () => {
  test('create, list, use, delete → the key is shown once', async () => {
    const before = Date.now()
    const expiresDate = before + 3_600_000
    const created = await broker.rest.post(keys, { description: 'metrics', expiresDate })
    const record = {
      id: expect.any(Number),
      description: 'metrics',
      createdDate: expect.any(Number),
      lastUsedDate: null,
      expiresDate,
    }
    const { id, key } = created.body as CreatedKey
    expect([created.status, created.body]).toEqual([201, { ...record, key }])
    expect(Object.keys(created.body as object)).toEqual([
      ...['id', 'key', 'description', 'createdDate', 'lastUsedDate', 'expiresDate'],
    ])
    expect(key).toMatch(new RegExp(`^wbk_${id}_[\\w-]{43}$`))
    expect((await broker.rest.get(keys)).body).toEqual([record])

    expect(await meBy(key)).toEqual([200, '{"deviseId":"lamp","role":"DEVISE"}'])
    const [used] = (await broker.rest.get(keys)).body as [{ lastUsedDate: number }]
    expect(used.lastUsedDate).toBeGreaterThanOrEqual(before)

    expect((await broker.rest.delete(`${keys}/${id}`)).status).toBe(204)
    expect(await meBy(key)).toEqual(UNAUTHORIZED)
    expect((await broker.rest.get(keys)).body).toEqual([])
    expect((await broker.rest.delete(`${keys}/${id}`)).status).toBe(404)
  })

  test('a key of another client, an unknown client → 404', async () => {
    const { id } = await addKey(broker, 'radio')
    expect((await broker.rest.delete(`${keys}/${id}`)).status).toBe(404)
    for (const answer of [
      await broker.rest.get('/admin/api/clients/999/keys'),
      await broker.rest.post('/admin/api/clients/999/keys', {}),
      await broker.rest.delete('/admin/api/clients/999/keys/1'),
    ]) {
      expect(answer.status).toBe(404)
    }
    expect((await broker.rest.post(keys, { expiresDate: 'soon' })).status).toBe(400)
  })

  test.each([
    ['the beginning of 1970', () => 0],
    ['a moment ago', () => Date.now() - 1],
    ['a time in seconds', () => Math.floor(Date.now() / 1_000) + 86_400],
  ])('an expiresDate in the past (%s) → 400 with the cure, no key', async (_what, expiresDate) => {
    const { status, body } = await broker.rest.post(keys, { expiresDate: expiresDate() })
    expect([status, body]).toMatchObject([400, { message: expect.stringMatching(/past.*milliseconds/) }])
    expect((await broker.rest.get(keys)).body).toEqual([])
  })

  test('the rights of its client at each moment: role and device id', async () => {
    const { key } = await addKey(broker, 'lamp')
    const byKey = withToken(broker.server.url, key)
    expect((await byKey.get('/admin/api/overview')).status).toBe(403)
    await broker.rest.put(`/admin/api/clients/${lampId}`, { role: 'MAN', deviseId: 'lantern' })
    expect(await meBy(key)).toEqual([200, '{"deviseId":"lantern","role":"MAN"}'])
    expect((await byKey.get('/admin/api/overview')).status).toBe(200)
    await broker.rest.put(`/admin/api/clients/${lampId}`, { role: 'READER' })
    expect((await byKey.put('/producer/request/x', { command: 'x' })).status).toBe(403)
  })

  test('altered, with the id of another key, expired → the 401 of an invalid token', async () => {
    const { id, key } = await addKey(broker, 'lamp')
    const other = await addKey(broker, 'lamp')
    const secret = key.slice(key.indexOf('_', 4) + 1)
    const last = key.at(-1) === 'A' ? 'B' : 'A'
    const expired = await addKey(broker, 'lamp', { expiresDate: Date.now() + 60_000 })
    expect((await meBy(expired.key))[0]).toBe(200)
    passedMs = 60_001
    const wrong = [
      `${key.slice(0, -1)}${last}`,
      `${key}A`,
      key.slice(0, -1),
      `wbk_${other.id}_${secret}`,
      `wbk_0${id}_${secret}`,
      `wbk_${id + 100}_${secret}`,
      key.toUpperCase(),
      secret,
      expired.key,
    ]
    for (const each of wrong) expect([each, await meBy(each)]).toEqual([each, UNAUTHORIZED])
    expect((await meBy(key))[0]).toBe(200)
  })

  test('the password changes → the key stays valid; the client is deleted → it ends', async () => {
    const { key } = await addKey(broker, 'lamp')
    const token = await tokenOf(broker.server.url, 'lamp', PASSWORD)
    await broker.rest.put(`/admin/api/clients/${lampId}`, { password: 'another' })
    expect([(await meBy(token))[0], (await meBy(key))[0]]).toEqual([401, 200])
    await broker.rest.delete(`/admin/api/clients/${lampId}`)
    expect(await meBy(key)).toEqual(UNAUTHORIZED)
    await broker.rest.post('/admin/api/clients', { deviseId: 'lamp', password: 'third' })
    expect(await meBy(key)).toEqual(UNAUTHORIZED)
    const made = `/admin/api/clients/${await clientIdOf(broker, 'lamp')}/keys`
    expect((await broker.rest.get(made)).body).toEqual([])
  })

  test('a restart → valid as before, and no id is used twice', async () => {
    const kept = await addKey(broker, 'lamp')
    const gone = await addKey(broker, 'lamp')
    await broker.rest.delete(`${keys}/${gone.id}`)
    await broker.server.kill()
    broker = await BrokerUnderTest.start({ dataDir: broker.dataDir, mqtt: true })
    expect([(await meBy(kept.key))[0], (await meBy(gone.key))[0]]).toEqual([200, 401])
    expect((await addKey(broker, 'lamp')).id).toBeGreaterThan(gone.id)
  })

  test('the limit of keys, also by creations at the same time → 409, other clients are not affected', async () => {
    const answers = await Promise.all(Array.from({ length: MAX_KEYS + 3 }, () => broker.rest.post(keys, {})))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_KEYS)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
    expect((await broker.rest.get(keys)).body).toHaveLength(MAX_KEYS)
    expect((await addKey(broker, 'radio')).id).toBeGreaterThan(0)
  })

  test('the client is deleted while keys are created → 201 or 404, and no key is left', async () => {
    const [removed, ...created] = await Promise.all([
      broker.rest.delete(`/admin/api/clients/${lampId}`),
      ...Array.from({ length: 10 }, () => broker.rest.post(keys, {})),
    ])
    expect(removed.status).toBe(204)
    for (const { status } of created) expect([201, 404]).toContain(status)
    const rows = 'SELECT id FROM api_keys WHERE client_id = '
    expect(await rowsIn(broker.dataDir, rows + lampId)).toEqual([])
    for (const { status, body } of created)
      if (status === 201) expect(await meBy((body as CreatedKey).key)).toEqual(UNAUTHORIZED)
  })

  test('an event stream by the key → ends with the key', async () => {
    await broker.rest.put(`/admin/api/clients/${lampId}`, { role: 'READER' })
    const { id, key } = await addKey(broker, 'lamp')
    const headers = { authorization: `Bearer ${key}` }
    const stream = await fetch(`${broker.server.url}/admin/api/events`, { headers })
    await broker.rest.delete(`${keys}/${id}`)
    expect(await stream.text()).toMatch(/event: ready/)
  })

  test('changes → a line each in the audit trail, in the name of the admin, without the key', async () => {
    const { id, key } = await addKey(broker, 'lamp', { description: 'metrics' })
    await broker.rest.delete(`${keys}/${id}`)
    await broker.server.kill()
    const db = new Database(join(broker.dataDir, DATABASE_FILE), { readonly: true })
    const lines = db.prepare("SELECT * FROM audit WHERE action LIKE 'key.%' ORDER BY id").all() as {
      detail: string
    }[]
    db.close()
    const by = { client: 'admin', key_id: null, address: '127.0.0.1', object: 'lamp' }
    expect(lines).toMatchObject([
      { ...by, action: 'key.create' },
      { ...by, action: 'key.remove' },
    ])
    expect(lines.map(({ detail }) => JSON.parse(detail))).toEqual([
      { keyId: id, description: 'metrics', expiresDate: null },
      { keyId: id },
    ])
    expect(JSON.stringify(broker.server.log)).not.toContain(key.slice(-43))
  })
})

describe('API key over MQTT', () => {
  test.each(VERSIONS)(
    'level %i: as the password of its client → accepted; of another → refused',
    async (level) => {
      const bad = level === 5 ? 0x86 : 4
      const { key } = await addKey(broker, 'lamp')
      const expired = await addKey(broker, 'lamp', { expiresDate: Date.now() + 60_000 })
      passedMs = 60_001
      expect(await refusal(key, 'lamp', level)).toBeNull()
      expect(await refusal(key, 'radio', level)).toBe(bad)
      expect(await refusal(expired.key, 'lamp', level)).toBe(bad)
      expect(await refusal(`${key.slice(0, -2)}xx`, 'lamp', level)).toBe(bad)
    },
  )

  test('a device by its key: receives and acknowledges; the key is deleted → its connection ends, others stay', async () => {
    const { id, key } = await addKey(broker, 'lamp')
    const device = await connect(key, { protocolVersion: 5 })
    const byPassword = await connect(PASSWORD)
    await device.subscribe('consumer/request/lamp')
    const messageId = await broker.send('lamp', { command: 'on' })
    expect(JSON.parse((await device.next()).text)).toMatchObject({ id: messageId, command: 'on' })
    await device.publish('consumer/response/lamp', { id: messageId, deliveryStatus: 'COMPLETED' })
    expect(await broker.status(messageId)).toBe('COMPLETED')

    const goodbye = device.packet('disconnect')
    await broker.rest.delete(`${keys}/${id}`)
    expect((await goodbye).reasonCode).toBe(0x98)
    await device.closed
    expect(await refusal(key)).toBe(4)
    expect(byPassword.client.connected).toBe(true)
  })

  test('the password changes → a connection by the key stays, one by the password ends', async () => {
    const byKey = await connect((await addKey(broker, 'lamp')).key)
    const byPassword = await connect(PASSWORD)
    await broker.rest.put(`/admin/api/clients/${lampId}`, { password: 'another' })
    await byPassword.closed
    await byKey.subscribe('consumer/request/lamp')
    const id = await broker.send('lamp', { command: 'on' })
    expect(JSON.parse((await byKey.next()).text)).toMatchObject({ id })
  })

  test.each([
    ['gets another role', { role: 'READER' }],
    ['gets another device id', { deviseId: 'lantern' }],
  ])('the client %s → a connection by the key ends', async (_what, change) => {
    const byKey = await connect((await addKey(broker, 'lamp')).key)
    await broker.rest.put(`/admin/api/clients/${lampId}`, change)
    await byKey.closed
  })

  test('the client is deleted → a connection by the key ends', async () => {
    const byKey = await connect((await addKey(broker, 'lamp')).key)
    await broker.rest.delete(`/admin/api/clients/${lampId}`)
    await byKey.closed
  })

  test('wrong keys → count as failed logins; the right key passes during the lock-out', async () => {
    const { key } = await addKey(broker, 'lamp')
    for (let i = 0; i < LOGIN_FAILURES.allowed; i++) {
      expect(await refusal(`wbk_1_${String(i).padEnd(43, 'x')}`)).toBe(4)
    }
    expect(await refusal(PASSWORD)).toBe(3)
    expect(await refusal(key)).toBeNull()
    const login = await call(broker.server.url, 'POST', '/auth/login', { deviseId: 'lamp', password: key })
    expect(login.status).toBe(429)
  })
})

test('API key with access checks off → names the sender', async () => {
  const env = { APP_SECURITY_PERMIT_ALL: 'true' }
  const open = await BrokerUnderTest.start({ dataDir: await withClients('lamp'), env })
  const { key } = await addKey(open, 'lamp')
  const byKey = withToken(open.server.url, key)
  const { id } = (await byKey.put('/producer/request/x', { command: 'on' })).body as { id: number }
  expect((await byKey.get(`/admin/api/messages/${id}`)).body).toMatchObject({ senderDeviseId: 'lamp' })
})
