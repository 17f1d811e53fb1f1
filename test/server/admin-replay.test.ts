/** Tests the replay of parked messages, one and all, and the list of messages by cause. */
import { beforeAll, describe, expect, test } from 'vitest'
import { notUnknown } from '../../src/broker/vocabulary/errors.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { park, SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'
import { logIn, type Rest } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let shop: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('shop'), env: SHORT_ATTEMPTS })
    shop = await logIn(broker.server.url, 'shop', PASSWORD)
  })

  const replay = (id: number) => broker.rest.post(`/admin/api/messages/${id}/replay`, '')
  const answer = ({ status, body }: { status: number; body: unknown }) => [status, body]

  test('parked → NOT_DELIVERED in its place; the history and the attempts have it all', async () => {
    const id = await sendAndPark(broker, 'pump')
    const later = await broker.send('pump', { command: 'later' })
    const details = async () => (await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body
    const first = { number: 1, transport: 'REST', outcome: 'NOT_ACKNOWLEDGED', until: null }
    expect(answer(await replay(id))).toEqual([200, { deliveryStatus: 'NOT_DELIVERED' }])
    expect(await details()).toMatchObject({
      cause: 'REPLAYED',
      deliveredError: true,
      history: [
        { deliveryStatus: 'NOT_DELIVERED', cause: 'STORED' },
        { deliveryStatus: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', deviseId: null },
        { deliveryStatus: 'NOT_DELIVERED', cause: 'REPLAYED', deviseId: 'admin' },
      ],
      attempts: [first],
    })
    expect(await broker.next('pump')).toBe(id)
    expect(await details()).toMatchObject({ attempts: [first, { number: 2, transport: 'REST' }] })
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
    expect(await broker.next('pump')).toBe(later)
  })

  test('a late acknowledgement of a parked message → counts, and then a replay is refused', async () => {
    const id = await sendAndPark(broker, 'late')
    await broker.acknowledge('late', { id, deliveryStatus: 'COMPLETED' })
    expect(await broker.status(id)).toBe('COMPLETED')
    expect(answer(await replay(id))).toEqual([
      409,
      {
        error: 'Conflict',
        message: `Message ${id} is COMPLETED. Only a message that is UNKNOWN can be replayed.`,
      },
    ])
  })

  test('the sender may replay; other clients and an unknown id → 404', async () => {
    const { body } = await shop.put('/producer/request/mine', { command: 'go', maxAttempts: 1 })
    const { id } = body as { id: number }
    const path = `/producer/replayMessage/${id}`
    const foreign = await sendAndPark(broker, 'foreign')
    expect((await shop.post(`/producer/replayMessage/${foreign}`, '')).status).toBe(404)
    expect((await replay(999_999)).status).toBe(404)
    expect((await shop.post(path, '')).status).toBe(409)
    await park(broker, 'mine', id)
    expect(answer(await shop.post(path, ''))).toEqual([200, { deliveryStatus: 'NOT_DELIVERED' }])
  })

  test('the queue is full → 429, with its numbers if the caller wants details', async () => {
    const id = await sendAndPark(broker, 'full')
    await broker.rest.put('/admin/api/devices/full', { queueLimit: 1 })
    await broker.send('full', { command: 'x' })
    const refused = await replay(id)
    expect([refused.status, Object.keys(refused.body as object)]).toEqual([429, ['error', 'message']])
    expect(refused.headers.get('retry-after')).toBe('1')
    const detailed = await broker.rest.post(`/admin/api/messages/${id}/replay?details=true`, '')
    expect(detailed).toMatchObject({ status: 429, body: { waiting: 1, limit: 1 } })
    expect(detailed.headers.get('retry-after')).toBe('1')
  })

  test('replayAll → the oldest first, with what is left and skipped', async () => {
    const ids = [await sendAndPark(broker, 'all'), await sendAndPark(broker, 'all', { command: 'stop' })]
    const third = await sendAndPark(broker, 'all')
    const replayAll = (body: object) =>
      broker.rest.post('/admin/api/messages/replayAll', { deviseId: 'all', ...body })
    expect(answer(await replayAll({ command: 'stop' }))).toEqual([
      200,
      { replayed: [ids[1]], left: 0, skipped: 0 },
    ])
    expect(answer(await replayAll({ limit: 1 }))).toEqual([200, { replayed: [ids[0]], left: 1, skipped: 0 }])
    await broker.rest.put('/admin/api/devices/all', { queueLimit: 2 })
    expect(answer(await replayAll({}))).toEqual([200, { replayed: [], left: 0, skipped: 1 }])
    await broker.rest.put('/admin/api/devices/all', {})
    expect(answer(await replayAll({}))).toEqual([200, { replayed: [third], left: 0, skipped: 0 }])
    for (const limit of [0, 501, 'all']) expect((await replayAll({ limit })).status).toBe(400)
    expect((await shop.post('/admin/api/messages/replayAll', '')).status).toBe(403)
  })

  test('list by cause → the messages that left their queue for it', async () => {
    const parked = await sendAndPark(broker, 'causes')
    const cancelled = await broker.send('causes', { command: 'x' })
    await broker.rest.post(`/admin/api/messages/${cancelled}/cancel`, '')
    const list = async (cause: string) =>
      (await broker.rest.get(`/admin/api/messages?deviseId=causes&details=true&cause=${cause}`)).body
    expect(await list('NOT_ACKNOWLEDGED')).toMatchObject([{ id: parked, cause: 'NOT_ACKNOWLEDGED' }])
    expect(await list('CANCELLED')).toMatchObject([{ id: cancelled, cause: 'CANCELLED' }])
    expect(await list('EXPIRED')).toEqual([])
    for (const cause of ['STORED', 'LATE', 'unknown']) {
      expect((await broker.rest.get(`/admin/api/messages?cause=${cause}`)).status).toBe(400)
    }
    const plain = await broker.rest.get('/admin/api/messages?deviseId=causes&limit=1')
    expect(plain.text).not.toContain('"cause"')
  })
})

test('a NO message that is UNKNOWN → 409 with a text that names the guarantee', () => {
  expect(notUnknown(5, 'UNKNOWN', 'NO').message).toBe(
    'Message 5 has guarantee NO, so it is dispatched once only. Send it again as a new message.',
  )
})
