/** Tests limits over REST, and access checks that are switched off. */
import { describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { call, logIn, withToken } from '../_support/rest.ts'

describe(`adapter ${ADAPTER}`, () => {
  test('queue limit: a full queue → 429 for this device, until a message is acknowledged', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '2' } })
    const first = await broker.send('lamp', { command: 'on' })
    const second = await broker.send('lamp', { command: 'off' })
    const refused = await broker.request('lamp', { command: 'blink' })
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: 'Too Many Requests',
        message: '2 messages are pending for device "lamp", which is the limit: nothing was stored.',
      },
    })
    expect(refused.headers.get('retry-after')).toBe('1')

    await broker.send('radio', { command: 'on' })
    // The message that it cancels makes room for it.
    const last = await broker.send('lamp', { command: 'off', believerGuarantee: 'ONLY_LAST' })
    expect(await broker.status(second)).toBe('CANCELLED')
    await broker.acknowledge('lamp', { id: first })
    expect(await broker.next('lamp')).toBe(last)
    expect((await broker.request('lamp', { command: 'blink' })).status).toBe(200)
  })

  test('queue limit: an ONLY_LAST message is refused → nothing is cancelled', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
    const pending = await broker.send('lamp', { command: 'on' })
    const refused = await broker.request('lamp', { command: 'off', believerGuarantee: 'ONLY_LAST' })
    expect(refused.status).toBe(429)
    expect(await broker.status(pending)).toBe('NOT_DELIVERED')
  })

  test('body limit: exactly the limit → 200; a byte more → 413', async () => {
    const broker = await BrokerUnderTest.start()
    const body = (bytes: number): string => '{"command":"c","data":{"x":""}}'.padEnd(bytes)
    expect((await broker.request('lamp', body(262_144))).status).toBe(200)
    expect(await broker.request('lamp', body(262_145))).toMatchObject({
      status: 413,
      body: {
        error: expect.any(String),
        message: 'The body is larger than 262144 bytes. Send a smaller one.',
      },
    })
  })

  test('body limit: set by WAYBILL_BODY_LIMIT, a body without a length → 413 above it', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_BODY_LIMIT: '100' } })
    const chunked = (bytes: number): RequestInit & { duplex: 'half' } => ({
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${broker.token}` },
      body: new Blob(['{"command":"on"}'.padEnd(bytes)]).stream(),
      duplex: 'half',
    })
    const path = `${broker.server.url}/producer/request/lamp`
    expect((await fetch(path, chunked(100))).status).toBe(200)
    expect((await fetch(path, chunked(101))).status).toBe(413)
  })

  test('token lifetime: set by JWT_EXPIRATION_MS → in the claims', async () => {
    const broker = await BrokerUnderTest.start({ env: { JWT_EXPIRATION_MS: '5000' } })
    const { body } = await call(broker.server.url, 'POST', '/auth/login', {
      deviseId: 'admin',
      password: ADMIN_PASSWORD,
    })
    const [, claims = ''] = (body as { accessToken: string }).accessToken.split('.')
    const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
      iat: number
      exp: number
    }
    expect(exp - iat).toBe(5)
  })

  describe('APP_SECURITY_PERMIT_ALL', () => {
    const env = { APP_SECURITY_PERMIT_ALL: 'true' }

    test('on at the start → a warning in the log; off → none', async () => {
      const { server } = await BrokerUnderTest.start({ env })
      expect(server.log).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          msg: 'APP_SECURITY_PERMIT_ALL IS ON: NO ACCESS IS CHECKED, ANYONE MAY SEND ANY DEVICE ANY COMMAND',
        }),
      )
      const checked = await BrokerUnderTest.start()
      expect(checked.server.log.filter(({ msg }) => msg.includes('PERMIT_ALL'))).toEqual([])
    })

    test.each([undefined, 'not-a-token'])('token %s → every call succeeds', async (token) => {
      const { server } = await BrokerUnderTest.start({ env })
      const anyone = withToken(server.url, token)
      const { status, body } = await anyone.put('/producer/request/lamp', { command: 'on' })
      const { id } = body as { id: number }
      expect(status).toBe(200)
      expect((await anyone.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ id }])
      expect((await anyone.post('/consumer/request/lamp', { id })).status).toBe(200)
      expect((await anyone.get(`/producer/getMessageStatus/${id}`)).body).toEqual({
        deliveryStatus: 'DELIVERED',
      })
    })

    test('/auth/me without a token → 401; with a token → 200', async () => {
      const { server } = await BrokerUnderTest.start({ env })
      const { status, text } = await withToken(server.url).get('/auth/me')
      expect([status, text]).toEqual([401, '{"error":"Unauthorized"}'])
      const admin = await logIn(server.url, 'admin', ADMIN_PASSWORD)
      expect((await admin.get('/auth/me')).body).toEqual({ deviseId: 'admin', role: 'MAN' })
    })
  })
})
