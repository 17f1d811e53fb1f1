/** Tests APP_SECURITY_OWN_QUEUE_ONLY over REST: a device acts for its own device id only. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { BEARERS, bearerOf } from '../_support/credentials.ts'
import { logIn, type Rest, withToken } from '../_support/rest.ts'

const FORBIDDEN = '{"error":"Forbidden"}'
const commandWithResultsFor = (producerDeviseId: string | null): object => ({
  command: 'on',
  messageBirthCertificate: { tmpId: 7, producerDeviseId },
})

interface Operation {
  readonly responses: Readonly<
    Record<
      number,
      { readonly description: string; readonly content: Record<string, { schema: { $ref: string } }> }
    >
  >
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object }
}
const QUEUE_OPERATIONS = {
  '/consumer/getLastMessage/{deviceId}': 'get',
  '/consumer/request/{deviceId}': 'post',
  '/producer/request/{deviceId}': 'put',
}

describe.each(BEARERS)('APP_SECURITY_OWN_QUEUE_ONLY, by %s', (bearer) => {
  let broker: BrokerUnderTest
  let lamp: Rest
  const logInAs = async (client: string, password = PASSWORD): Promise<Rest> =>
    withToken(broker.server.url, await bearerOf(broker, bearer, client, password))
  beforeAll(async () => {
    const dataDir = await withClients('lamp', 'radio', 'clock', 'spy', '0')
    broker = await BrokerUnderTest.start({
      dataDir,
      env: { APP_SECURITY_OWN_QUEUE_ONLY: 'true' },
    })
    lamp = await logInAs('lamp')
  })

  test('own queue: poll and acknowledge → 200', async () => {
    const id = await broker.send('lamp', { command: 'on' })
    expect((await lamp.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ id }])
    expect(await lamp.post('/consumer/request/lamp', { id })).toMatchObject({ status: 200 })
  })

  test("another client's queue: poll and acknowledge → 403, the queue is unchanged", async () => {
    const id = await broker.send('radio', { command: 'on', believerGuarantee: 'NO' })
    for (const path of ['getLastMessage/radio', 'get-last-message/radio', 'getLastMessage/%72adio']) {
      const answer = await lamp.get(`/consumer/${path}`)
      expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
    }
    expect((await lamp.head('/consumer/getLastMessage/radio')).status).toBe(403)
    const answer = await lamp.post('/consumer/request/radio', { id, deliveryStatus: 'COMPLETED' })
    expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })

  test('send to another device: results for itself or for no client → 200; for another client → 403', async () => {
    for (const producer of ['lamp', '0', null]) {
      expect((await lamp.put('/producer/request/radio', commandWithResultsFor(producer))).status).toBe(200)
    }
    const answer = await lamp.put('/producer/request/radio', commandWithResultsFor('radio'))
    expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
  })

  describe('status of a message', () => {
    let path: string
    beforeAll(async () => {
      // The admin sends for the clock, so that sender, recipient and producer are three clients.
      const id = await broker.send('radio', commandWithResultsFor('clock'))
      path = `/producer/getMessageStatus/${id}`
    })
    const readAs = async (client: string, of = path): Promise<unknown> => {
      const { status, body } = await (await logInAs(client)).get(of)
      return [status, body]
    }
    const READABLE = [200, { deliveryStatus: 'NOT_DELIVERED' }]

    test.each(['radio', 'clock'])(
      'recipient, producer of the birth certificate: %s → 200',
      async (client) => {
        expect(await readAs(client)).toEqual(READABLE)
      },
    )

    test('sender, admin → 200', async () => {
      expect((await broker.rest.get(path)).status).toBe(200)
      const { body } = await lamp.put('/producer/request/radio', commandWithResultsFor('0'))
      const own = `/producer/getMessageStatus/${(body as { id: number }).id}`
      expect(await readAs('lamp', own)).toEqual(READABLE)
      expect((await broker.rest.get(own)).status).toBe(200)
    })

    test('another client → the 404 of an unknown id, for HEAD too', async () => {
      const unknown = (await lamp.get('/producer/getMessageStatus/999999')).text
      const refused = [404, JSON.parse(unknown.replace('999999', path.split('/').at(-1) as string))]
      expect(await readAs('spy')).toEqual(refused)
      expect(await readAs('lamp', path.replace('getMessageStatus', 'get-message-status'))).toEqual(refused)
      expect((await lamp.head(path)).status).toBe(404)
    })

    test('producerDeviseId "0", which is no producer: a client with that id → 404', async () => {
      const id = await broker.send('radio', commandWithResultsFor('0'))
      expect(await readAs('0', `/producer/getMessageStatus/${id}`)).toMatchObject([404, {}])
    })
  })

  test('API description: each 401 and 403 → exactly the bodies of the specification', async () => {
    const { body } = await broker.rest.get('/v3/api-docs')
    const { paths, components } = body as Description
    const bodies = { 401: new Set<unknown>(), 403: new Set<unknown>() }
    for (const operation of Object.values(paths).flatMap(Object.values<Operation>)) {
      for (const status of [401, 403] as const) {
        const response = operation.responses[status]
        if (response) bodies[status].add(response.content['application/json']?.schema.$ref)
      }
    }
    expect([...bodies[401]]).toEqual(['#/components/schemas/Unauthorized'])
    expect([...bodies[403]]).toEqual(['#/components/schemas/Forbidden'])
    expect(components.schemas).toMatchObject({
      Unauthorized: { required: ['error'], properties: { error: { const: 'Unauthorized' } } },
      Forbidden: { required: ['error'], properties: { error: { const: 'Forbidden' } } },
    })
    for (const [path, verb] of Object.entries(QUEUE_OPERATIONS))
      expect(paths[path]?.[verb]?.responses[403]?.description).toMatch(/APP_SECURITY_OWN_QUEUE_ONLY/)
  })

  test('admin: polls any queue, has results sent to any client → 200', async () => {
    const admin = await logInAs('admin', ADMIN_PASSWORD)
    expect((await admin.get('/consumer/getLastMessage/lamp')).status).toBe(200)
    expect((await admin.put('/producer/request/radio', commandWithResultsFor('lamp'))).status).toBe(200)
  })
})

test('without APP_SECURITY_OWN_QUEUE_ONLY: the status of a message between other clients → 200', async () => {
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('spy') })
  const id = await broker.send('radio', { command: 'on' })
  const spy = await logIn(broker.server.url, 'spy', PASSWORD)
  expect((await spy.get(`/producer/getMessageStatus/${id}`)).status).toBe(200)
})

test("APP_SECURITY_OWN_QUEUE_ONLY with APP_SECURITY_PERMIT_ALL: poll of another client's queue → 200", async () => {
  const env = { APP_SECURITY_OWN_QUEUE_ONLY: 'true', APP_SECURITY_PERMIT_ALL: 'true' }
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp'), env })
  const lamp = await logIn(broker.server.url, 'lamp', PASSWORD)
  expect((await lamp.get('/consumer/getLastMessage/radio')).status).toBe(200)
})
