/** Errors of the broker as problem details: each has its code, and the client of the package shows it. */
import { beforeAll, expect, test } from 'vitest'
import { Client } from '../../src/client/index.ts'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'

const ACCEPT = { accept: 'application/problem+json' }

let broker: BrokerUnderTest
beforeAll(async () => {
  broker = await BrokerUnderTest.start()
})

async function bodyOf(path: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return (await fetch(`${broker.server.url}${path}`, { headers })).json()
}

test('a request without a token → the code and the text, where the plain body has none', async () => {
  expect(await bodyOf('/admin/api/clients', ACCEPT)).toEqual({
    title: 'Unauthorized',
    status: 401,
    detail: 'A valid token is required. Send it in the header "Authorization: Bearer TOKEN".',
    code: 'unauthorized',
  })
  expect(await bodyOf('/admin/api/clients', {})).toEqual({ error: 'Unauthorized' })
})

test('the client of the package: an id that is taken → code and params of the error', async () => {
  const client = new Client({
    url: broker.server.url,
    credentials: { deviceId: 'admin', password: ADMIN_PASSWORD },
  })
  const create = client.call((api) =>
    api.POST('/admin/api/clients', { body: { deviseId: 'admin', password: 'secret' } }),
  )
  await expect(create).rejects.toMatchObject({
    status: 409,
    code: 'client-exists',
    params: { deviseId: 'admin' },
    message: 'Client "admin" exists already: choose another deviseId.',
  })
})

test('the client of the package: a stream that is refused → its code', async () => {
  const client = new Client({ url: broker.server.url, token: 'none' })
  await expect(client.subscribe().next()).rejects.toMatchObject({ status: 401, code: 'unauthorized' })
})
