/** GET /producer/messages: a client reads the messages that it sent, or whose results it receives. */
import { beforeAll, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const commandFor = (producerDeviseId: string): object => ({
  command: 'on',
  data: { level: 1.0 },
  messageBirthCertificate: { tmpId: 7, producerDeviseId },
})

describe.each([['true'], ['false']])('APP_SECURITY_OWN_QUEUE_ONLY=%s', (ownQueueOnly) => {
  let broker: BrokerUnderTest
  let shop: Rest
  let lamp: Rest
  let spy: Rest
  /** Sent by `shop`, with results for `shop`. */
  let own: number
  /** Sent by the admin, with results for `shop`. */
  let produced: number
  /** Sent by the admin, with results for `spy`. */
  let foreign: number
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({
      dataDir: await withClients('shop', 'lamp', 'spy', '0'),
      env: { APP_SECURITY_OWN_QUEUE_ONLY: ownQueueOnly },
    })
    const { url } = broker.server
    shop = await logIn(url, 'shop', PASSWORD)
    lamp = await logIn(url, 'lamp', PASSWORD)
    spy = await logIn(url, 'spy', PASSWORD)
    const { body } = await shop.put('/producer/request/lamp', commandFor('shop'))
    own = (body as { id: number }).id
    produced = await broker.send('lamp', commandFor('shop'))
    foreign = await broker.send('lamp', commandFor('spy'))
  })

  test('an own message → the detail of the admin API with details, without the ids beside it', async () => {
    const path = `messages/${own}`
    const { status, text } = await shop.get(`/producer/${path}`)
    const { body: forAdmin } = await broker.rest.get(`/admin/api/${path}?details=true`)
    const detail = JSON.parse(text) as { readonly senderDeviseId: unknown }
    const { previousId: _, nextId: __, ...shown } = forAdmin as Record<string, unknown>
    expect(status).toBe(200)
    expect(detail).toEqual(shown)
    expect(detail).toMatchObject({ senderDeviseId: 'shop', producerDeviseId: 'shop', cause: 'STORED' })
    expect(text).toContain('"data":{"level":1}')
  })

  test('the producer of another sender → the ids of other clients are null', async () => {
    await broker.acknowledge('lamp', { id: produced, deliveryStatus: 'DELIVERED' })
    const { body } = await shop.get(`/producer/messages/${produced}`)
    expect(body).toMatchObject({
      ...{ deviseId: 'lamp', senderDeviseId: null, producerDeviseId: 'shop' },
      history: [
        { deliveryStatus: 'NOT_DELIVERED', deviseId: null },
        { deliveryStatus: 'DELIVERED', deviseId: null },
      ],
    })
    const { body: forAdmin } = await broker.rest.get(`/producer/messages/${produced}`)
    expect(forAdmin).toMatchObject({
      senderDeviseId: 'admin',
      history: [{ deviseId: 'admin' }, { deviseId: 'admin' }],
    })
  })

  test('the recipient, another client, and an id that does not exist → 404', async () => {
    const answers = [
      await lamp.get(`/producer/messages/${own}`),
      await spy.get(`/producer/messages/${own}`),
      await shop.get(`/producer/messages/${foreign}`),
      await shop.get('/producer/messages/4000000'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    const [of, not] = [answers[1]?.text, answers[3]?.text].map((text) => text?.replace(/\d+/, 'N'))
    expect(of).toBe(not)
  })

  test('a client with the id of "no producer" → 404', async () => {
    const id = await broker.send('lamp', commandFor('0'))
    const client = await logIn(broker.server.url, '0', PASSWORD)
    expect((await client.get(`/producer/messages/${id}`)).status).toBe(404)
  })

  test('several ids → status details in the order asked, once each; foreign and unknown ids are left out', async () => {
    const ids = [produced, 4_000_000, own, foreign, produced]
    const { status, body } = await shop.get(`/producer/messages?${ids.map((id) => `id=${id}`).join('&')}`)
    const one = await shop.get(`/producer/getMessageStatus/${own}?details=true`)
    expect([status, (body as { id: number }[]).map(({ id }) => id)]).toEqual([200, [produced, own]])
    expect((body as object[])[1]).toEqual(one.body)
    expect((await broker.rest.get(`/producer/messages?id=${foreign}`)).body).toMatchObject([{ id: foreign }])
    expect((await spy.get(`/producer/messages?id=${own}`)).text).toBe('[]')
  })

  test.each(['', '?id=', '?id=x', '?id=0', `?${'id=1&'.repeat(501).slice(0, -1)}`])(
    'query "%.9s" → 400',
    async (query) => {
      expect((await shop.get(`/producer/messages${query}`)).status).toBe(400)
    },
  )

  test('500 ids → 200', async () => {
    const query = Array.from({ length: 500 }, (_, n) => `id=${own + n}`).join('&')
    expect((await shop.get(`/producer/messages?${query}`)).body).toMatchObject([
      { id: own },
      { id: produced },
    ])
  })
})
