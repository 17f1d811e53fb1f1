/** `server.cors-origins`: pages of these origins may call the broker. Endpoints of one's own have their own rules. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { withClients } from '../_support/clients.ts'
import { type Answer, request } from '../_support/http.ts'
import { startInProcess } from '../_support/in-process.ts'
import { answers, code, writeTree } from '../_support/trees.ts'

const PAGE = 'https://app.example'

/** Returns the CORS headers of an answer, with `vary`. */
const corsOf = ({ headers }: { headers: Answer['headers'] }) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control-|vary$)/.test(name)))

const PREFLIGHT = {
  vary: 'Origin',
  'access-control-allow-origin': PAGE,
  'access-control-allow-methods': 'OPTIONS, PUT',
  'access-control-allow-headers': 'Content-Type, Authorization, Idempotency-Key, Last-Event-ID',
  'access-control-max-age': '600',
}
const ANSWER = {
  vary: 'Origin',
  'access-control-allow-origin': PAGE,
  'access-control-expose-headers': 'Link, Location, Retry-After, Idempotency-Replayed',
}

const preflightFrom = (origin: string) => ({
  headers: {
    origin,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,content-type',
  },
})

describe('two origins in the setting', () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ env: { WAYBILL_CORS_ORIGINS: `${PAGE},http://localhost:5173` } })
  })
  const send = (method: string, path: string, options = {}) => request(broker.port, method, path, options)
  const put = (origin: string | null, command: object, token = broker.token) =>
    send('PUT', '/producer/request/pump-1', {
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(origin && { origin }),
      },
      body: JSON.stringify(command),
    })

  test('preflight from a listed origin → allowed, without a token', async () => {
    const answer = await send('OPTIONS', '/producer/request/pump-1', preflightFrom(PAGE))
    expect([answer.status, corsOf(answer)]).toEqual([204, PREFLIGHT])
  })

  test.each(['https://evil.example', 'https://app.example:8443', 'http://app.example', 'null'])(
    'preflight and call from %s → no CORS headers',
    async (origin) => {
      const preflight = await send('OPTIONS', '/producer/request/pump-1', preflightFrom(origin))
      expect([preflight.status, corsOf(preflight)]).toEqual([204, { vary: 'Origin' }])
      const answer = await put(origin, { command: 'start' })
      expect([answer.status, corsOf(answer)]).toEqual([200, { vary: 'Origin' }])
    },
  )

  test('call from a listed origin: stored, refused, not allowed → readable by the page', async () => {
    const stored = await put(PAGE, { command: 'start' })
    expect([stored.status, corsOf(stored)]).toEqual([200, ANSWER])
    expect(stored.headers['cache-control']).toBe('no-store')
    const refused = await put(PAGE, {})
    expect([refused.status, corsOf(refused)]).toEqual([400, ANSWER])
    const forbidden = await put(PAGE, { command: 'start' }, 'none')
    expect([forbidden.status, corsOf(forbidden)]).toEqual([401, ANSWER])
    const local = await send('GET', '/auth/me', { headers: { origin: 'http://localhost:5173' } })
    expect(local.headers['access-control-allow-origin']).toBe('http://localhost:5173')
  })

  test('description, page: from a listed origin → readable; without an origin → as ever', async () => {
    const description = await send('GET', '/v3/api-docs', { headers: { origin: PAGE } })
    expect([description.status, corsOf(description)]).toEqual([200, ANSWER])
    const page = await send('GET', '/')
    expect([page.status, corsOf(page)]).toEqual([200, { vary: expect.stringContaining('Origin') }])
  })

  test('event stream from a listed origin → readable by the page', async () => {
    const abort = new AbortController()
    const { status, headers } = await fetch(`${broker.server.url}/admin/api/events`, {
      headers: { authorization: `Bearer ${broker.token}`, origin: PAGE },
      signal: abort.signal,
    })
    abort.abort()
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, PAGE])
  })
})

async function startWith(origins: string | null, prefixes: readonly string[]) {
  const env = origins === null ? undefined : { WAYBILL_CORS_ORIGINS: origins }
  const flags = { adapter: ADAPTER, prefixes }
  const { url } = await startInProcess({ flags, env, dataDir: await withClients() })
  return (method: string, path: string, options = {}) =>
    request(Number(new URL(url).port), method, path, options)
}

const MINE = {
  'mine.ts': code(answers('Thing')),
  'auth.ts': code(answers('Mine')),
}

test("setting *: any origin → *, without credentials; endpoints of one's own → no CORS", async () => {
  const send = await startWith('*', [writeTree(MINE), '@broker'])
  const preflight = await send('OPTIONS', '/producer/request/pump-1', preflightFrom('https://evil.example'))
  expect(corsOf(preflight)).toEqual({
    ...PREFLIGHT,
    'access-control-allow-origin': '*',
  })
  for (const path of ['/mine/thing', '/auth/mine']) {
    const answer = await send('GET', path, { headers: { origin: PAGE } })
    expect([path, answer.status, corsOf(answer)]).toEqual([path, 401, {}])
  }
})

test('no setting → no CORS header, and no Vary', async () => {
  const send = await startWith(null, ['@broker'])
  const preflight = await send('OPTIONS', '/producer/request/pump-1', preflightFrom(PAGE))
  expect([preflight.status, corsOf(preflight)]).toEqual([204, {}])
  const answer = await send('GET', '/auth/me', { headers: { origin: PAGE } })
  expect([answer.status, corsOf(answer)]).toEqual([401, {}])
})
