/** Tests logins and tokens over REST. */
import jwt from 'jsonwebtoken'
import { beforeAll, describe, expect, test } from 'vitest'
import { LOGIN_FAILURES } from '../../src/auth/accounts.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { type Answer, call, logIn, withToken } from '../_support/rest.ts'

const UNAUTHORIZED = '{"error":"Unauthorized"}'
const PROTECTED = [
  ['GET', '/auth/me'],
  ['PUT', '/producer/request/lamp'],
  ['GET', '/producer/getMessageStatus/1'],
  ['GET', '/consumer/getLastMessage/lamp'],
  ['POST', '/consumer/request/lamp'],
] as const

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let url: string
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp', 'victim') })
    url = broker.server.url
  })

  const post = (path: string, body: object): Promise<Answer> => call(url, 'POST', path, body)

  describe('login', () => {
    test('right password → 200 with a JWT for 24 hours, which is valid', async () => {
      const login = await post('/auth/login', { deviseId: 'admin', password: ADMIN_PASSWORD })
      const { accessToken } = login.body as { accessToken: string }
      expect(login.status).toBe(200)
      expect(login.text).toBe(
        `{"accessToken":"${accessToken}","tokenType":"Bearer","deviseId":"admin","role":"MAN"}`,
      )
      const claims = jwt.verify(accessToken, JWT_SECRET, {
        algorithms: ['HS256'],
      }) as Required<jwt.JwtPayload>
      expect(claims).toEqual({ sub: 'admin', role: 'MAN', iat: expect.any(Number), exp: claims.iat + 86_400 })
      expect((await withToken(url, accessToken).get('/auth/me')).text).toBe(
        '{"deviseId":"admin","role":"MAN"}',
      )
    })

    test('unknown client, wrong password → the same 401', async () => {
      const wrong = await post('/auth/login', { deviseId: 'admin', password: 'guess' })
      const unknown = await post('/auth/login', { deviseId: 'unknown', password: 'guess' })
      expect([wrong.status, wrong.text]).toEqual([401, UNAUTHORIZED])
      expect([unknown.status, unknown.text]).toEqual([401, UNAUTHORIZED])
    })

    test.each([
      {},
      { deviseId: 'admin' },
      { deviceId: 'admin', password: 'x' },
      { deviseId: 1, password: 'x' },
    ])('%j → 400', async (body) => {
      expect(await post('/auth/login', body)).toMatchObject({ status: 400, body: { error: 'Bad Request' } })
    })
  })

  test('isClientEnabled: right and wrong credentials → decision true or false; no username → 400', async () => {
    const ask = async (username: string, password: string): Promise<unknown> => {
      const { status, text } = await post('/auth/isClientEnabled', { username, password })
      return [status, text]
    }
    expect(await ask('admin', ADMIN_PASSWORD)).toEqual([200, '{"decision":true}'])
    expect(await ask('lamp', PASSWORD)).toEqual([200, '{"decision":true}'])
    expect(await ask('admin', PASSWORD)).toEqual([200, '{"decision":false}'])
    expect(await ask('stranger', PASSWORD)).toEqual([200, '{"decision":false}'])
    expect((await post('/auth/isClientEnabled', { deviseId: 'admin', password: 'x' })).status).toBe(400)
  })

  test('role DEVISE: every endpoint of /producer and /consumer → 200', async () => {
    const device = await logIn(url, 'lamp', PASSWORD)
    expect((await device.get('/auth/me')).body).toEqual({ deviseId: 'lamp', role: 'DEVISE' })
    const { body } = await device.put('/producer/request/radio', { command: 'on' })
    const { id } = body as { id: number }
    expect((await device.get(`/producer/getMessageStatus/${id}`)).status).toBe(200)
    expect((await device.get('/consumer/getLastMessage/radio')).body).toMatchObject([{ id }])
    expect((await device.post('/consumer/request/radio', { id })).status).toBe(200)
  })

  test('no token: / and isClientEnabled → 200', async () => {
    expect((await fetch(url)).status).toBe(200)
    expect((await post('/auth/isClientEnabled', { username: 'x', password: 'x' })).status).toBe(200)
  })

  test.each(PROTECTED)('no token: %s %s → 401', async (method, path) => {
    const answer = await call(url, method, path)
    expect([answer.status, answer.text]).toEqual([401, UNAUTHORIZED])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test.each([
    '/consumer/get-last-message/lamp',
    '//consumer//getLastMessage/lamp',
    '/%63onsumer/getLastMessage/lamp',
  ])('no token: another spelling of the path, %s → 401', async (path) => {
    expect((await call(url, 'GET', path)).status).toBe(401)
  })

  describe('Authorization header', () => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { sub: 'lamp', role: 'DEVISE', iat: now, exp: now + 3600 }
    /** Signs the claims with changes. Leaves out members that are undefined. */
    const sign = (change: object, options: jwt.SignOptions = {}, secret = JWT_SECRET): string =>
      jwt.sign(JSON.parse(JSON.stringify({ ...claims, ...change })) as object, secret, {
        algorithm: 'HS256',
        ...options,
      })
    const answerTo = async (authorization: string): Promise<unknown> => {
      const response = await fetch(`${url}/auth/me`, { headers: { authorization } })
      return [response.status, await response.text()]
    }
    const LAMP = [200, '{"deviseId":"lamp","role":"DEVISE"}']
    const valid = sign({})
    const [head, body, signature] = valid.split('.') as [string, string, string]
    const forged = Buffer.from(JSON.stringify({ ...claims, role: 'MAN' })).toString('base64url')

    test.each(['Bearer ', 'bearer ', 'BEARER  '])('valid token, scheme "%s" → accepted', async (scheme) => {
      expect(await answerTo(scheme + valid)).toEqual(LAMP)
    })

    test.each([
      ['nothing', ''],
      ['no token', 'Bearer'],
      ['not a JWT', 'Bearer x'],
      ['no scheme', valid],
      ['another scheme', `Token ${valid}`],
      ['a password', `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}`],
      ['two tokens', `Bearer ${valid} ${valid}`],
      ['an altered role', `Bearer ${head}.${forged}.${signature}`],
      ['an altered signature', `Bearer ${head}.${body}.${signature.split('').toReversed().join('')}`],
      ['no signature', `Bearer ${head}.${body}.`],
      ['another secret', `Bearer ${sign({}, {}, JWT_SECRET.toUpperCase())}`],
      ['algorithm none', `Bearer ${jwt.sign(claims, null, { algorithm: 'none' })}`],
      ['algorithm HS384', `Bearer ${sign({}, { algorithm: 'HS384' })}`],
      ['algorithm HS512', `Bearer ${sign({}, { algorithm: 'HS512' })}`],
      ['an end that is past', `Bearer ${sign({ exp: now - 1 })}`],
      ['no end', `Bearer ${sign({ exp: undefined })}`],
      ['no client', `Bearer ${sign({ sub: undefined })}`],
      ['a client that does not exist', `Bearer ${sign({ sub: 'ghost' })}`],
      ['a role that its client does not have', `Bearer ${sign({ role: 'MAN' })}`],
      ['a time before its client was made', `Bearer ${sign({ iat: now - 3600 })}`],
    ])('%s → 401', async (_what, value) => {
      expect(await answerTo(value)).toEqual([401, UNAUTHORIZED])
    })

    test('absent, a token in the query → 401', async () => {
      const answer = await call(url, 'GET', `/auth/me?access_token=${valid}&authorization=Bearer%20${valid}`)
      expect([answer.status, answer.text]).toEqual([401, UNAUTHORIZED])
    })
  })

  describe('login: too many failures', () => {
    const login = (deviseId: string, password: string): Promise<Answer> =>
      post('/auth/login', { deviseId, password })
    const lockOut = async (deviseId: string): Promise<void> => {
      for (let i = 0; i < LOGIN_FAILURES.allowed; i++)
        expect((await login(deviseId, `guess ${i}`)).status).toBe(401)
    }

    test('then the right password for the first time → 429 for this client only', async () => {
      await lockOut('victim')
      const refused = await login('victim', PASSWORD)
      expect(refused).toMatchObject({
        status: 429,
        body: { error: 'Too Many Requests', message: expect.stringMatching(/^Too many failed logins/) },
      })
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(seconds).toBeLessThanOrEqual(LOGIN_FAILURES.windowSec)
      expect((await post('/auth/isClientEnabled', { username: 'victim', password: PASSWORD })).status).toBe(
        429,
      )
      expect((await login('admin', ADMIN_PASSWORD)).status).toBe(200)
    })

    test('then the password that was right before, or a token → accepted; a guess → 429', async () => {
      expect((await login('lamp', PASSWORD)).status).toBe(200)
      const device = await logIn(url, 'lamp', PASSWORD)
      await lockOut('lamp')
      expect((await login('lamp', 'another guess')).status).toBe(429)
      expect((await login('lamp', PASSWORD)).status).toBe(200)
      expect((await post('/auth/isClientEnabled', { username: 'lamp', password: PASSWORD })).status).toBe(200)
      expect((await device.get('/auth/me')).status).toBe(200)
    })
  })
})
