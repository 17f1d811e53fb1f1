/** Tests how producers and admins cancel and replace commands over REST, and who may. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { logIn, type Rest } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let shop: Rest
  let other: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('shop', 'other') })
    shop = await logIn(broker.server.url, 'shop', PASSWORD)
    other = await logIn(broker.server.url, 'other', PASSWORD)
  })

  const send = async (rest: Rest, deviceId: string, more: object = {}): Promise<number> => {
    const { body, status, text } = await rest.put(`/producer/request/${deviceId}`, { command: 'go', ...more })
    expect(status, text).toBe(200)
    return (body as { id: number }).id
  }
  const cancel = (rest: Rest, id: number, body: object | string = '') =>
    rest.post(`/producer/cancelMessage/${id}`, body)
  const answer = ({ status, body }: { status: number; body: unknown }) => [status, body]

  describe('cancelMessage', () => {
    test('never dispatched → CANCELLED, and again the same answer', async () => {
      const id = await send(shop, 'fresh')
      const cancelled = [200, { deliveryStatus: 'CANCELLED', handedOver: false }]
      expect(answer(await cancel(shop, id))).toEqual(cancelled)
      expect(answer(await cancel(shop, id, { force: true }))).toEqual(cancelled)
      expect(await broker.next('fresh')).toBeNull()
      expect((await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body).toMatchObject({
        cause: 'CANCELLED',
        history: [{}, { deliveryStatus: 'CANCELLED', cause: 'CANCELLED', deviseId: 'shop' }],
      })
    })

    test('dispatched → 409 with status and attempts; with force CANCELLED, handed over', async () => {
      const id = await send(shop, 'busy-pump')
      await broker.next('busy-pump')
      expect(answer(await cancel(shop, id))).toEqual([
        409,
        {
          error: 'Conflict',
          message: `Message ${id} was dispatched already, so its device may have it. Set force to true to cancel it anyway.`,
          deliveryStatus: 'NOT_DELIVERED',
          attempts: 1,
        },
      ])
      expect(answer(await cancel(shop, id, { force: true }))).toEqual([
        200,
        { deliveryStatus: 'CANCELLED', handedOver: true },
      ])
      expect(await broker.next('busy-pump')).toBeNull()
    })

    test('acknowledged → 409, with force too', async () => {
      for (const deliveryStatus of ['DELIVERED', 'COMPLETED', 'COMPLETED_WITH_ERROR']) {
        const id = await send(shop, 'done')
        await broker.acknowledge('done', { id, deliveryStatus })
        for (const body of ['', { force: true }]) {
          expect(await cancel(shop, id, body)).toMatchObject({ status: 409, body: { deliveryStatus } })
        }
      }
    })

    test('cancelled, then acknowledged → 409 or unchanged; the history has the late report', async () => {
      const id = await send(shop, 'late')
      await broker.next('late')
      await cancel(shop, id, { force: true })
      expect(await broker.acknowledge('late', { id })).toMatchObject({
        status: 200,
        body: { deliveryStatus: 'CANCELLED' },
      })
      expect(
        await broker.acknowledge('late', { id, deliveryStatus: 'COMPLETED', reason: 'too slow' }),
      ).toMatchObject({
        status: 409,
        body: { deliveryStatus: 'CANCELLED' },
      })
      const { body } = await broker.rest.get(`/admin/api/messages/${id}?details=true`)
      expect(body).toMatchObject({ lateStatus: 'COMPLETED', lateDate: expect.any(Number) })
      expect((body as { history: object[] }).history.at(-1)).toMatchObject({
        ...{ deliveryStatus: 'COMPLETED', cause: 'LATE', deviseId: 'late', reason: 'too slow' },
      })
    })

    test("another client's message, and no message → 404; an admin may", async () => {
      const id = await send(shop, 'foreign')
      for (const unknown of [id, 999_999]) {
        expect(answer(await cancel(other, unknown, { force: true }))).toEqual([
          404,
          { error: 'Not Found', message: `There is no message ${unknown}.` },
        ])
      }
      expect((await cancel(broker.rest, id)).status).toBe(200)
    })

    test.each(['yes', 1, []])('force %j → 400', async (force) => {
      expect((await cancel(shop, 1, { force })).status).toBe(400)
    })
  })

  describe('cancelMessages', () => {
    test('own messages of a device → those that were never dispatched; with force all', async () => {
      const first = await send(shop, 'many')
      await broker.next('many')
      const mine = [await send(shop, 'many'), await send(shop, 'many', { command: 'stop' })]
      const foreign = await send(other, 'many')
      const path = '/producer/cancelMessages/many'
      expect(answer(await shop.post(path, { command: 'stop' }))).toEqual([
        200,
        { cancelled: [mine[1]], handedOver: [] },
      ])
      expect(answer(await shop.post(path, ''))).toEqual([200, { cancelled: [mine[0]], handedOver: [first] }])
      expect(await broker.status(first)).toBe('NOT_DELIVERED')
      expect(answer(await shop.post(path, { force: true }))).toEqual([
        200,
        { cancelled: [first], handedOver: [first] },
      ])
      expect(await broker.next('many')).toBe(foreign)
    })

    test('an admin: messages of all clients, on both paths → cancelled', async () => {
      for (const path of ['/producer/cancelMessages/all', '/admin/api/devices/all/cancel']) {
        const ids = [await send(shop, 'all'), await send(other, 'all')]
        expect(answer(await broker.rest.post(path, ''))).toEqual([200, { cancelled: ids, handedOver: [] }])
      }
      expect((await shop.post('/admin/api/devices/all/cancel', '')).status).toBe(403)
    })

    test('a device without messages → two empty lists', async () => {
      expect(answer(await shop.post('/producer/cancelMessages/unused', ''))).toEqual([
        200,
        { cancelled: [], handedOver: [] },
      ])
    })
  })

  describe('replaces', () => {
    test('a message that was never dispatched → CANCELLED in the same commit as the new one is stored', async () => {
      const old = await send(shop, 'replace')
      const id = await send(shop, 'replace', { replaces: old })
      expect(await broker.status(old)).toBe('CANCELLED')
      expect(await broker.next('replace')).toBe(id)
      expect((await broker.rest.get(`/admin/api/messages/${old}`)).body).toMatchObject({
        history: [{}, { deliveryStatus: 'CANCELLED', cause: 'SUPERSEDED', messageId: id }],
      })
    })

    test('a cancelled message → accepted', async () => {
      const old = await send(shop, 'replace-cancelled')
      await cancel(shop, old)
      const id = await send(shop, 'replace-cancelled', { replaces: old })
      expect(await broker.next('replace-cancelled')).toBe(id)
    })

    test('dispatched → 409, nothing is stored', async () => {
      const old = await send(shop, 'replace-late')
      await broker.next('replace-late')
      const refused = await shop.put('/producer/request/replace-late', { command: 'x', replaces: old })
      expect(refused).toMatchObject({ status: 409, body: { deliveryStatus: 'NOT_DELIVERED', attempts: 1 } })
      await broker.acknowledge('replace-late', { id: old, deliveryStatus: 'COMPLETED' })
      expect(await broker.next('replace-late')).toBeNull()
    })

    test("another client's, another device's or no message → 404, nothing is stored", async () => {
      const foreign = await send(other, 'replace-foreign')
      const elsewhere = await send(shop, 'replace-elsewhere')
      for (const replaces of [foreign, elsewhere, 999_999]) {
        const path = '/producer/request/replace-foreign'
        expect((await shop.put(path, { command: 'x', replaces })).status).toBe(404)
      }
      expect(await broker.next('replace-foreign')).toBe(foreign)
      await broker.acknowledge('replace-foreign', { id: foreign, deliveryStatus: 'COMPLETED' })
      expect(await broker.next('replace-foreign')).toBeNull()
    })
  })

  describe('admin cancel', () => {
    test('without force: dispatched → the body of the first release', async () => {
      const id = await send(shop, 'admin')
      await broker.next('admin')
      const path = `/admin/api/messages/${id}/cancel`
      const refused = await broker.rest.post(path, {})
      expect([refused.status, refused.text]).toEqual([
        409,
        `{"error":"Conflict","message":"Message ${id} was dispatched already. Only a message that was never dispatched can be cancelled.","deliveryStatus":"NOT_DELIVERED"}`,
      ])
      expect(answer(await broker.rest.post(path, { force: true }))).toEqual([
        200,
        { deliveryStatus: 'CANCELLED', handedOver: true },
      ])
      expect((await broker.rest.post(path, {})).text).toBe('{"deliveryStatus":"CANCELLED"}')
    })
  })
})

test('access checks off → every client may cancel every message', async () => {
  const broker = await BrokerUnderTest.start({ env: { APP_SECURITY_PERMIT_ALL: 'true' } })
  const id = await broker.send('open', { command: 'go' })
  const response = await fetch(`${broker.server.url}/producer/cancelMessage/${id}`, { method: 'POST' })
  expect(response.status).toBe(200)
})
