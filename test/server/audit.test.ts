/** GET /admin/api/audit: filters, pages, the names of changes, what a line may not show, and refused logins. */
import { beforeEach, describe, expect, test } from 'vitest'
import { NETWORK_LINES } from '../../src/audit/refused-logins.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { addedLines, auditLines } from '../_support/audit.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { Client, request, requestOf } from '../_support/http.ts'
import { MqttPeer, refusalOf } from '../_support/mqtt.ts'
import { call, tokenOf, withToken } from '../_support/rest.ts'

const CLIENTS = '/admin/api/clients'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeEach(async () => {
    const dataDir = await withClients('lamp', 'shop')
    broker = await BrokerUnderTest.start({ dataDir, mqtt: true })
  })

  const create = async (deviseId: string): Promise<string> => {
    const { body } = await broker.rest.post(CLIENTS, {
      deviseId,
      password: 'a secret word',
      description: 'hall',
    })
    return `${CLIENTS}/${(body as { id: number }).id}`
  }

  test('audit: a client is created, changed, renamed and removed → the changed fields, under the former name', async () => {
    const lines = await addedLines(broker, async () => {
      const path = await create('radio')
      await broker.rest.put(path, { description: 'kitchen', role: 'DEVISE' })
      await broker.rest.put(path, { deviseId: 'tv', devices: ['tv-*'], password: 'another word' })
      await broker.rest.delete(path)
    })
    expect(lines.map(({ action, object, detail }) => [action, object, detail])).toEqual([
      ['client.create', 'radio', { ownQueueOnly: null, role: 'DEVISE', description: 'hall', devices: [] }],
      ['client.change', 'radio', { description: 'kitchen' }],
      ['client.change', 'radio', { deviseId: 'tv', devices: ['tv-*'], password: true }],
      ['client.remove', 'tv', {}],
    ])
  })

  test('audit: a change ends waits and connections → their numbers, by kind', async () => {
    const path = await create('radio')
    const { key, id: keyId } = (await broker.rest.post(`${path}/keys`, { description: 'hall' })).body as {
      key: string
      id: number
    }
    const waits: Client[] = []
    const wait = async (credential: string): Promise<void> => {
      const waiting = await Client.connect(broker.port)
      const headers = { authorization: `Bearer ${credential}` }
      await waiting.send(requestOf('GET', '/consumer/getLastMessage/radio?wait=60', { headers }))
      // The answer to a later request shows that the server has read the first one.
      await request(broker.port, 'GET', '/nothing')
      waits.push(waiting)
    }
    const lines = await addedLines(broker, async () => {
      await wait(await tokenOf(broker.server.url, 'radio', 'a secret word'))
      await MqttPeer.connect({ port: broker.mqttPort, username: 'radio', password: 'a secret word' })
      await wait(key)
      await broker.rest.put(path, { password: 'another word' })
      await broker.rest.delete(`${path}/keys/${keyId}`)
      await wait(await tokenOf(broker.server.url, 'radio', 'another word'))
      await broker.rest.delete(path)
    })
    expect(lines.map(({ action, detail }) => [action, detail])).toEqual([
      ['client.password', { ended: { waits: 1, connections: 1, sessions: 1 } }],
      ['key.remove', { keyId, ended: { waits: 1 } }],
      ['client.remove', { ended: { waits: 1 } }],
    ])
  })

  test('log: each change → a line with the fields of the audit trail, after the line is stored', async () => {
    await create('radio')
    await broker.send('lamp', { command: 'on' })
    await broker.rest.post('/producer/cancelMessages/lamp', {})
    await call(broker.server.url, 'POST', '/auth/login', { deviseId: 'radio', password: 'wrong' })
    await create('radio')
    const logged = broker.server.log.filter(({ msg }) => String(msg).startsWith('change: '))
    const by = { deviceId: 'admin', keyId: null, address: '127.0.0.1' }
    expect(logged).toMatchObject([
      { ...by, action: 'client.create', object: 'radio', detail: { role: 'DEVISE' } },
      { ...by, action: 'message.cancel', object: 'lamp', detail: { count: 1 } },
    ])
  })

  test('audit: only the password is changed → client.password, and no line shows a password or data', async () => {
    const path = await create('radio')
    const lines = await addedLines(broker, () =>
      broker.rest.put(path, { password: 'another word', description: 'hall' }),
    )
    expect(lines).toMatchObject([{ action: 'client.password', object: 'radio', detail: {} }])
    const clientId = Number(path.split('/').at(-1))
    await broker.rest.post('/admin/api/saved-messages', {
      clientId,
      command: 'go',
      data: { pin: 'secret data' },
    })
    expect(JSON.stringify(await auditLines(broker))).not.toMatch(/secret|another/)
  })

  test('audit: settings of a device → those that changed, with their names on the wire', async () => {
    const put = (settings: object) => broker.rest.put('/admin/api/devices/lamp', settings)
    await put({ maxAttempts: 3 })
    const lines = await addedLines(broker, () => put({ maxAttempts: 3, sendMessagePeriod: 500 }))
    expect(lines).toMatchObject([{ object: 'lamp', detail: { sendMessagePeriod: 500 } }])
    expect(lines[0]?.detail).not.toHaveProperty('maxAttempts')
  })

  test('audit: a message is sent again → the line names the new one; with a repeated key → no further line', async () => {
    const id = await broker.send('lamp', { command: 'go' })
    await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
    const lines = await addedLines(broker, async () => {
      for (let n = 0; n < 2; n++) {
        await broker.rest.post(`/admin/api/messages/${id}/resend`, { idempotencyKey: 'once' })
      }
    })
    expect(lines).toMatchObject([
      { object: String(id), detail: { deviseId: 'lamp', command: 'go', messageId: id + 1 } },
    ])
  })

  test('audit: a producer cancels over MQTT → a line with its name and its address', async () => {
    const shop = withToken(broker.server.url, await tokenOf(broker.server.url, 'shop', PASSWORD))
    const send = async () =>
      ((await shop.put('/producer/request/lamp', { command: 'go' })).body as { id: number }).id
    const [first] = [await send(), await send()]
    const lines = await addedLines(broker, async () => {
      const peer = await MqttPeer.connect({ port: broker.mqttPort, username: 'shop', password: PASSWORD })
      await peer.publish('producer/cancel/lamp', { id: first })
      await peer.publish('producer/cancel/lamp', { command: 'go' })
      await peer.end()
    })
    const by = { deviseId: 'shop', address: '127.0.0.1', action: 'message.cancel' }
    expect(lines).toMatchObject([
      { ...by, object: String(first), detail: { force: false } },
      { ...by, object: 'lamp', detail: { command: 'go', senderId: 'shop', count: 1 } },
    ])
  })

  test('audit: many lines → pages, newest first; filters by client, action and time', async () => {
    for (const name of ['a', 'b', 'c']) await create(name)
    const [newest] = await auditLines(broker, '?limit=1')
    const first = await broker.rest.get('/admin/api/audit?limit=2&action=client.create')
    const link = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string
    const second = await broker.rest.get(link)
    const objects = (answer: { body: unknown }) =>
      (answer.body as { object: string }[]).map(({ object }) => object)
    expect([objects(first), objects(second), second.headers.get('link')]).toEqual([['c', 'b'], ['a'], null])
    const count = async (query: string) => (await auditLines(broker, query)).length
    expect(await count('?client=admin')).toBe(3)
    expect(await count('?client=lamp')).toBe(0)
    expect(await count('?action=client.remove')).toBe(0)
    expect(await count(`?from=${newest?.date}`)).toBeGreaterThanOrEqual(1)
    expect(await count(`?to=${newest?.date}&from=${newest?.date}`)).toBe(0)
    expect((await broker.rest.get('/admin/api/audit?action=client.eat')).status).toBe(400)
  })

  test('audit: a wrong password over REST and over MQTT, ten times → one line for each name', async () => {
    const lines = await addedLines(broker, async () => {
      for (let n = 0; n < 5; n++) {
        await call(broker.server.url, 'POST', '/auth/login', { deviseId: 'lamp', password: 'wrong' })
        await refusalOf({ port: broker.mqttPort, username: 'shop', password: 'wrong' })
      }
      await eventually(async () => expect(await auditLines(broker, '?action=login.refused')).toHaveLength(2))
    })
    expect(lines.map(({ deviseId, object, address, detail }) => [deviseId, object, address, detail])).toEqual(
      expect.arrayContaining([
        [null, 'lamp', '127.0.0.1', { reason: 'WRONG_CREDENTIALS', transport: 'REST' }],
        [null, 'shop', '127.0.0.1', { reason: 'WRONG_CREDENTIALS', transport: 'MQTT' }],
      ]),
    )
  })

  test('audit: cancelled and replayed are none of a device, and none at all → no line', async () => {
    const lines = await addedLines(broker, async () => {
      for (let n = 0; n < 3; n++) {
        await broker.rest.post('/producer/cancelMessages/lamp', {})
        await broker.rest.post('/admin/api/messages/replay', {})
      }
    })
    expect(lines).toEqual([])
  })

  test('audit: many refused logins with random names, then an admin → a line for the admin, one for the rest', async () => {
    const login = (deviseId: string) =>
      call(broker.server.url, 'POST', '/auth/login', { deviseId, password: 'x'.repeat(100) })
    for (let n = 0; n < NETWORK_LINES.none + 3; n++) await login(`x${n}`)
    await login('admin')
    await broker.server.kill()
    broker = await BrokerUnderTest.start({ dataDir: broker.dataDir })
    const lines = await auditLines(broker, '?action=login.refused')
    const names = lines.map(({ object }) => object)
    expect(names).toHaveLength(NETWORK_LINES.none + 2)
    expect(names).toContain('admin')
    expect(lines.filter(({ object }) => object === null).map(({ detail }) => detail)).toEqual([
      { more: 3, networks: 1, names: 3 },
    ])
  })

  test('audit: a wrong API key and a READER over MQTT, each three times → one line for each; a wrong token → none', async () => {
    await broker.rest.post(CLIENTS, { deviseId: 'auditor', password: PASSWORD, role: 'READER' })
    const lines = await addedLines(broker, async () => {
      for (let n = 0; n < 3; n++) {
        for (const token of [`wbk_7_${'x'.repeat(43)}`, 'no.to.ken'])
          expect((await withToken(broker.server.url, token).get('/auth/me')).status).toBe(401)
        await refusalOf({ port: broker.mqttPort, username: 'auditor', password: PASSWORD })
      }
      await eventually(async () => expect(await auditLines(broker, '?action=login.refused')).toHaveLength(2))
    })
    expect(lines.map(({ object, detail }) => [object, detail])).toEqual(
      expect.arrayContaining([
        [null, { reason: 'WRONG_KEY', transport: 'REST' }],
        ['auditor', { reason: 'ROLE_NOT_ALLOWED', transport: 'MQTT' }],
      ]),
    )
    expect(broker.server.log.filter(({ msg }) => msg.startsWith('API key refused'))).toHaveLength(3)
  })

  test('audit: a restart → the lines are kept, and their ids continue', async () => {
    await create('radio')
    const [before] = await auditLines(broker)
    await broker.server.kill()
    broker = await BrokerUnderTest.start({ dataDir: broker.dataDir })
    const [line] = await addedLines(broker, () => create('tv'))
    expect(line?.id).toBeGreaterThan(before?.id as number)
    expect(await auditLines(broker)).toMatchObject([{ object: 'tv' }, { object: 'radio' }])
  })
})
