/** Answers that need a token, and logins, are not kept by caches. A password is not accepted in a URL. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiDescription } from '../../src/web/openapi.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { operationsOf } from '../_support/described.ts'
import { request } from '../_support/http.ts'
import { call, tokenOf } from '../_support/rest.ts'

describe('cache-control', () => {
  let broker: BrokerUnderTest
  let deviceToken: string
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp') })
    deviceToken = await tokenOf(broker.server.url, 'lamp', PASSWORD)
  })
  const cachingOf = async (path: string, body: object): Promise<unknown> => {
    const { status, headers } = await call(broker.server.url, 'POST', path, body)
    return [status, headers.get('cache-control')]
  }

  test('login, credential check: accepted, refused, invalid → no-store', async () => {
    const right = { deviseId: 'admin', password: ADMIN_PASSWORD }
    expect(await cachingOf('/auth/login', right)).toEqual([200, 'no-store'])
    expect(await cachingOf('/auth/login', { ...right, password: 'guess' })).toEqual([401, 'no-store'])
    expect(await cachingOf('/auth/login', {})).toEqual([400, 'no-store'])
    const check = { username: 'admin', password: ADMIN_PASSWORD }
    expect(await cachingOf('/auth/isClientEnabled', check)).toEqual([200, 'no-store'])
  })

  test('each operation that needs a token: with a token, without one, without the role, HEAD → no-store', async () => {
    const { body } = await broker.rest.get('/v3/api-docs')
    const operations = operationsOf(body as ApiDescription).filter(
      ({ operation }) => operation.security.length,
    )
    expect(operations.length).toBeGreaterThan(30)
    const seen: unknown[] = []
    for (const { method, path } of operations) {
      // A DELETE of the id 1 would end the admin's token.
      const target = path.replace(/\{[^}]*\}/g, '999')
      const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
      for (const each of methods) {
        for (const token of [broker.token, deviceToken, undefined]) {
          const abort = new AbortController()
          const { status, headers } = await fetch(broker.server.url + target, {
            method: each,
            headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
            signal: abort.signal,
          })
          abort.abort()
          if (headers.get('cache-control') !== 'no-store') seen.push([each, target, status])
        }
      }
    }
    expect(seen).toEqual([])
  })

  test('public pages → as before: revalidated, or kept for ever by the name of the file', async () => {
    const page = await request(broker.port, 'GET', '/swagger-ui')
    expect(page.headers['cache-control']).toBe('no-cache')
    const description = await request(broker.port, 'GET', '/v3/api-docs')
    expect(description.headers).not.toHaveProperty('cache-control')
  })
})

describe('a password in the query', () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp') })
  })

  test.each([
    ['POST', '/auth/login?deviseId=lamp&password=sesame', ''],
    ['POST', '/auth/login?password=sesame', '{"deviseId":"lamp","password":"sesame"}'],
    ['POST', '/auth/isClientEnabled?password=sesame', '{"username":"lamp"}'],
    ['POST', '/admin/api/clients?password=secret', '{"deviseId":"new"}'],
    ['POST', '/admin/api/clients?%70assword=secret', '{"deviseId":"new","password":"other"}'],
    ['PUT', '/admin/api/clients/1?password=secret', '{}'],
  ])('%s %s with body "%s" → 400 that says to put it in the body', async (method, target, body) => {
    const answer = await broker.raw(method, target, body)
    const message = 'Parameter "password" is in the URL, which proxies and logs keep. Send it in the body.'
    expect([answer.status, answer.json()]).toEqual([400, { error: 'Bad Request', message }])
  })
})
