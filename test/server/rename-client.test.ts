/** A client gets another deviseId: what moves with it, what stays with the old id, and what ends. */
import { beforeAll, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { startInProcess } from '../_support/in-process.ts'
import { MqttPeer } from '../_support/mqtt.ts'
import { call, logIn, type Rest, tokenOf, withToken } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'

let broker: BrokerUnderTest
let url: string
beforeAll(async () => {
  broker = await BrokerUnderTest.start({ mqtt: true })
  url = broker.server.url
})

/** Creates a client with the password `sesame`. @returns its id */
const create = async (deviseId: string, more: object = {}): Promise<number> => {
  const { body } = await broker.rest.post(CLIENTS, { deviseId, password: 'sesame', ...more })
  return (body as { id: number }).id
}
const rename = (id: number, deviseId: string, rest: Rest = broker.rest) =>
  rest.put(`${CLIENTS}/${id}`, { deviseId })
const login = async (deviseId: string): Promise<number> =>
  (await call(url, 'POST', '/auth/login', { deviseId, password: 'sesame' })).status
const statusWith = async (token: string): Promise<number> =>
  (await withToken(url, token).get('/auth/me')).status

test('rename a client → 200; it logs in with the new id and its password, no longer with the old id', async () => {
  const id = await create('lamp', { description: 'hall 1' })
  const answer = await rename(id, 'lantern')
  const record = { id, deviseId: 'lantern', role: 'DEVISE', description: 'hall 1' }
  expect([answer.status, answer.body]).toEqual([200, record])
  expect((await broker.rest.get(`${CLIENTS}/${id}`)).body).toEqual(record)
  expect([await login('lamp'), await login('lantern')]).toEqual([401, 200])
})

test('rename a client, with another password and role → all change together', async () => {
  const id = await create('several')
  const change = { deviseId: 'several renamed', password: 'other', role: 'MAN' }
  expect(await broker.rest.put(`${CLIENTS}/${id}`, change)).toMatchObject({ status: 200 })
  const renamed = await logIn(url, 'several renamed', 'other')
  expect((await renamed.get('/auth/me')).body).toEqual({ deviseId: 'several renamed', role: 'MAN' })
})

test('rename to the present id → 200, and tokens stay valid; to an invalid id → 400; unknown client → 404', async () => {
  const id = await create('same')
  const token = await tokenOf(url, 'same', 'sesame')
  expect((await rename(id, 'same')).status).toBe(200)
  expect(await statusWith(token)).toBe(200)
  for (const invalid of ['', 'a\nb', ' lamp', 'lamp ', 'x'.repeat(256)])
    expect((await rename(id, invalid)).status).toBe(400)
  expect((await rename(4711, 'nobody')).status).toBe(404)
})

test('rename to an id that is taken, or two to one id at once → 409, and nothing changes', async () => {
  const [first, second] = [await create('first'), await create('second')]
  expect(await rename(first, 'second')).toMatchObject({
    status: 409,
    body: { message: 'Client "second" exists already: choose another deviseId.' },
  })
  const both = await Promise.all([rename(first, 'third'), rename(second, 'third')])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const names = [first, second].map(async (id) => (await broker.rest.get(`${CLIENTS}/${id}`)).body)
  expect(await Promise.all(names)).toContainEqual(expect.objectContaining({ deviseId: 'third' }))
})

test('rename a client: its tokens, its MQTT connection → end at once, for good', async () => {
  const id = await create('radio')
  const token = await tokenOf(url, 'radio', 'sesame')
  const login = { port: broker.mqttPort, username: 'radio' }
  const peers = [
    await MqttPeer.connect({ ...login, password: 'sesame' }),
    await MqttPeer.connect({ ...login, password: token }),
  ]
  await rename(id, 'tuner')
  await Promise.all(peers.map(({ closed }) => closed))
  expect(await statusWith(token)).toBe(401)
  // Neither another client with the old id nor the way back makes the old token valid.
  const other = await create('radio')
  expect(await statusWith(token)).toBe(401)
  await broker.rest.delete(`${CLIENTS}/${other}`)
  await rename(id, 'radio')
  expect(await statusWith(token)).toBe(401)
  expect(await statusWith(await tokenOf(url, 'radio', 'sesame'))).toBe(200)
})

test('rename to the id of a client that was just deleted → the tokens of that client stay invalid', async () => {
  const deleted = await create('former')
  const token = await tokenOf(url, 'former', 'sesame')
  const id = await create('heir')
  await broker.rest.delete(`${CLIENTS}/${deleted}`)
  await rename(id, 'former')
  expect(await statusWith(token)).toBe(401)
  expect(await statusWith(await tokenOf(url, 'former', 'sesame'))).toBe(200)
})

test('rename a client: its queue → stays with the old id; its templates → go with the client', async () => {
  const id = await create('pump')
  const pending = await broker.send('pump', { command: 'on' })
  const template = await broker.rest.post('/admin/api/saved-messages', { clientId: id, command: 'off' })
  await rename(id, 'pump 2')
  expect(await broker.next('pump 2')).toBeNull()
  expect(await broker.next('pump')).toBe(pending)
  const path = `/admin/api/saved-messages/${(template.body as { id: number }).id}`
  expect((await broker.rest.get(path)).body).toMatchObject({ clientId: id, deviseId: 'pump 2' })
  const sent = (await broker.rest.post(`${path}/send`, {})).body as { id: number }
  expect(await broker.next('pump 2')).toBe(sent.id)
})

test('last admin renames itself, then a restart → its token ends, it logs in with the new id, no other admin is made', async () => {
  const first = await BrokerUnderTest.start()
  expect(await rename(1, 'root', first.rest)).toMatchObject({
    status: 200,
    body: { deviseId: 'root', role: 'MAN' },
  })
  expect((await first.rest.get(CLIENTS)).status).toBe(401)
  const root = await logIn(first.server.url, 'root', ADMIN_PASSWORD)
  expect(await root.put(`${CLIENTS}/1`, { deviseId: 'boss', role: 'DEVISE' })).toMatchObject({ status: 409 })
  const clients = (await root.get(CLIENTS)).body
  await first.server.kill()
  const { url: again } = await startInProcess({
    flags: { adapter: ADAPTER },
    env: { ADMIN_PASSWORD, JWT_SECRET },
    dataDir: first.dataDir,
  })
  const after = await logIn(again, 'root', ADMIN_PASSWORD)
  expect((await after.get(CLIENTS)).body).toEqual(clients)
})
