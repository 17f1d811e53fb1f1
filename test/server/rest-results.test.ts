/** Tests what devices report over REST beside a status: results, reasons, pauses. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { logIn } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  const status = (id: number) => broker.rest.get(`/producer/getMessageStatus/${id}?details=true`)
  const detail = async (id: number) => (await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body
  /** Polls a new message, and acknowledges it with the text of a body. */
  const acknowledged = async (deviceId: string, members: string, query = '') => {
    const id = await broker.send(deviceId, { command: 'go' })
    await broker.next(deviceId)
    return {
      id,
      answer: await broker.rest.post(`/consumer/request/${deviceId}${query}`, `{"id":${id},${members}}`),
    }
  }

  test.each(['7', '1.0', 'true', '"a\\u00e9"', '[1, {"b" : 1e400}]', '{"a":9007199254740993}'])(
    'result %s → byte for byte in the status and for the admin',
    async (result) => {
      const { id, answer } = await acknowledged('bytes', `"deliveryStatus":"COMPLETED","result":${result}`)
      expect([answer.status, answer.text]).toEqual([200, '{"deliveryStatus":"COMPLETED"}'])
      const { text } = await status(id)
      expect(text).toMatch(/^\{"deliveryStatus":"COMPLETED","id":\d+,"tmpId":null,"cause":"ACKNOWLEDGED",/)
      expect(text).toContain(`"reason":null,"result":${result},"attempts":1,"date":`)
      const admin = await broker.rest.get(`/admin/api/messages/${id}?details=true`)
      expect(admin.text).toContain(`"result":${result},"resultDropped":false`)
    },
  )

  test.each([
    [16_384, false],
    [16_385, true],
  ])('result of %i bytes → dropped: %s; the status counts', async (length, dropped) => {
    const result = `"${'x'.repeat(length - 2)}"`
    const { id, answer } = await acknowledged('long', `"result":${result}`, '?details=true')
    const plain = { deliveryStatus: 'DELIVERED' }
    expect(answer.body).toEqual(dropped ? { ...plain, resultDropped: true } : plain)
    expect(await detail(id)).toMatchObject({
      ...{ resultDropped: dropped, result: dropped ? null : JSON.parse(result) },
    })
    await broker.acknowledge('long', { id, deliveryStatus: 'COMPLETED' })
  })

  test('dropped result without details → the answer of the first release', async () => {
    const { answer } = await acknowledged(
      'quiet',
      `"deliveryStatus":"COMPLETED","result":"${'x'.repeat(20_000)}"`,
    )
    expect(answer.text).toBe('{"deliveryStatus":"COMPLETED"}')
  })

  test('reason → a text of at most 500 characters; another value is dropped', async () => {
    const texts: [string, string | null][] = [
      ['"hot"', 'hot'],
      [`"${'😀'.repeat(501)}"`, '😀'.repeat(500)],
      ['["hot"]', null],
    ]
    for (const [given, reason] of texts) {
      const { id } = await acknowledged(
        'reasons',
        `"deliveryStatus":"COMPLETED_WITH_ERROR","reason":${given}`,
      )
      expect((await status(id)).body).toMatchObject({ deliveryStatus: 'COMPLETED_WITH_ERROR', reason })
    }
  })

  test('result with DELIVERED, another with COMPLETED, a third one late → the second one stays', async () => {
    const { id } = await acknowledged('twice', '"result":1,"reason":"begun"')
    expect((await status(id)).body).toMatchObject({ deliveryStatus: 'DELIVERED', result: 1, reason: 'begun' })
    await broker.acknowledge('twice', { id, deliveryStatus: 'COMPLETED', result: 2, reason: 'done' })
    for (const deliveryStatus of ['COMPLETED', 'DELIVERED', 'COMPLETED_WITH_ERROR']) {
      await broker.acknowledge('twice', { id, deliveryStatus, result: 3, reason: 'late' })
      expect((await status(id)).body).toMatchObject({
        deliveryStatus: 'COMPLETED',
        result: 2,
        reason: 'done',
      })
    }
  })

  test('result and reason with DELIVERED, null for both with COMPLETED → the first ones stay', async () => {
    const { id } = await acknowledged('null', '"result":1,"reason":"begun"')
    await broker.acknowledge('null', { id, deliveryStatus: 'COMPLETED', result: null, reason: null })
    expect((await status(id)).body).toMatchObject({
      deliveryStatus: 'COMPLETED',
      result: 1,
      reason: 'begun',
    })
  })

  test('a producer that wants details over REST → three fields as before', async () => {
    const messageBirthCertificate = { tmpId: 4, details: true }
    const { text } = await broker.request('strict', { command: 'go', messageBirthCertificate })
    expect(text).toMatch(/^\{"id":\d+,"tmpId":4,"deliveryStatus":"NOT_DELIVERED"\}$/)
  })

  describe('busy', () => {
    const busy = (deviceId: string, body: object) => broker.acknowledge(deviceId, body)

    test('pause → no dispatch, the attempt ends as BUSY, the same message comes first afterwards', async () => {
      const id = await broker.send('busy', { command: 'go' })
      await broker.send('busy', { command: 'later' })
      await broker.next('busy')
      const before = Date.now()
      const { status: code, body } = await busy('busy', { busySeconds: 60 })
      const { busyUntilDate } = body as { busyUntilDate: number }
      expect([code, Object.keys(body as object)]).toEqual([200, ['busyUntilDate']])
      expect(busyUntilDate).toBeGreaterThanOrEqual(before + 60_000)
      expect(await broker.next('busy')).toBeNull()
      expect(await detail(id)).toMatchObject({
        attempts: [{ number: 1, outcome: 'BUSY' }],
        waits: { reason: 'BUSY', until: expect.any(Number) },
      })
      const device = await broker.rest.get('/admin/api/devices/busy?details=true')
      expect(device.body).toMatchObject({ busyUntilDate: expect.any(Number) })
      expect((await broker.rest.get('/admin/api/devices/busy')).text).not.toContain('busyUntilDate')

      expect((await busy('busy', { busySeconds: 0 })).body).toEqual({ busyUntilDate: null })
      expect(await broker.next('busy')).toBe(id)
    })

    test('pause of a device itself → the device is seen; of an admin → it is not', async () => {
      const { body } = await broker.rest.post('/admin/api/clients', { deviseId: 'seen', password: 'x' })
      expect(body).toMatchObject({ deviseId: 'seen' })
      const seen = async () => (await broker.rest.get('/admin/api/devices/seen')).body
      await busy('seen', { busySeconds: 5 })
      expect(await seen()).toMatchObject({ lastSeenDate: null })
      const device = await logIn(broker.server.url, 'seen', 'x')
      await device.post('/consumer/request/seen', { busySeconds: 0 })
      expect(await seen()).toMatchObject({ lastSeenDate: expect.any(Number) })
    })

    test('pause and acknowledgement in one → both', async () => {
      const id = await broker.send('both', { command: 'go' })
      await broker.next('both')
      const answer = await busy('both', { id, deliveryStatus: 'COMPLETED', busySeconds: 60 })
      expect(answer.body).toEqual({ deliveryStatus: 'COMPLETED', busyUntilDate: expect.any(Number) })
      await broker.send('both', { command: 'go' })
      expect(await broker.next('both')).toBeNull()
    })

    test.each([{}, { busySeconds: null }, { busySeconds: 5, deliveryStatus: 'COMPLETED' }])(
      'without an id: %j → 400 as before',
      async (body) => {
        expect(await busy('bad', body)).toMatchObject({
          status: 400,
          body: { message: 'Parameter "id" is missing: expected an integer of 1 to 9007199254740991.' },
        })
      },
    )

    test.each([-1, 86_401, 1.5, '5'])('busySeconds %j → 400', async (busySeconds) => {
      expect((await busy('bad', { busySeconds })).status).toBe(400)
    })

    test('restart → the pause continues', async () => {
      const first = await BrokerUnderTest.start()
      await first.send('lasting', { command: 'go' })
      await first.acknowledge('lasting', { busySeconds: 600 })
      await first.server.kill()
      const second = await BrokerUnderTest.start({ dataDir: first.dataDir })
      expect(await second.next('lasting')).toBeNull()
    })
  })
})
