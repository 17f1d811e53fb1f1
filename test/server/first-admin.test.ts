/** The time between the first open listener and the first admin: a login is not refused, but told to come back. */
import { expect, test } from 'vitest'
import type { ClientRecord } from '../../src/auth/clients.ts'
import type { StoreOptions } from '../../src/store/driver.ts'
import { openStore } from '../../src/store/open.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { ADMIN_PASSWORD, JWT_SECRET } from '../_support/broker.ts'
import { temporaryDirectory } from '../_support/cleanup.ts'
import { request } from '../_support/http.ts'
import { startInProcess } from '../_support/in-process.ts'
import { refusalOf, VERSIONS } from '../_support/mqtt.ts'
import { unusedUrl } from '../_support/server.ts'

/** Starts a server on an empty data directory, and calls `before` when its listeners are open and no admin exists. */
async function startWith(before: (port: number, mqttPort: number) => Promise<void>): Promise<string> {
  const portOf = (url: string): number => Number(new URL(url).port)
  const [port, mqttPort] = [portOf(await unusedUrl()), portOf(await unusedUrl())]
  const open = async (options: StoreOptions) => {
    const storage = await openStore(options)
    const add = storage.clients.addFirstAdmin.bind(storage.clients)
    storage.clients.addFirstAdmin = async (client: Omit<ClientRecord, 'id'>) => {
      await before(port, mqttPort)
      return add(client)
    }
    return storage
  }
  const { url } = await startInProcess({
    flags: { adapter: ADAPTER, host: `127.0.0.1:${port}`, mqttAddress: `127.0.0.1:${mqttPort}` },
    env: { ADMIN_PASSWORD, JWT_SECRET },
    dataDir: temporaryDirectory(),
    replaced: { open },
  })
  return url
}

const login = (port: number, path: string, name: string, password = ADMIN_PASSWORD) =>
  request(port, 'POST', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [name]: 'admin', password }),
  })

test('first admin: a right login before it exists → 503 with Retry-After, afterwards 200', async () => {
  const early: unknown[] = []
  const url = await startWith(async (port, mqttPort) => {
    for (const [path, name] of [
      ['/auth/login', 'deviseId'],
      ['/auth/isClientEnabled', 'username'],
    ] as const) {
      const { status, headers, json } = await login(port, path, name)
      early.push([status, headers['retry-after'], json()])
    }
    for (const protocolVersion of VERSIONS) {
      early.push(
        await refusalOf({ port: mqttPort, username: 'admin', password: ADMIN_PASSWORD, protocolVersion }),
      )
    }
    early.push((await request(port, 'GET', '/readyz')).status)
  })
  const starting = {
    error: 'Service Unavailable',
    message: 'The server is starting, and creates its first admin. Try again in a second.',
  }
  const unavailable = VERSIONS.map((level) => (level === 5 ? 0x88 : 3))
  expect(early).toEqual([[503, '1', starting], [503, '1', starting], ...unavailable, 503])
  const { status } = await login(Number(new URL(url).port), '/auth/login', 'deviseId')
  expect(status).toBe(200)
})

test('first admin: many logins before it exists → count as no failures and are no rejections', async () => {
  const url = await startWith(async (port) => {
    for (let i = 0; i < 30; i++) await login(port, '/auth/login', 'deviseId', 'wrong')
  })
  const port = Number(new URL(url).port)
  const { status, json } = await login(port, '/auth/login', 'deviseId')
  expect(status).toBe(200)
  const headers = { authorization: `Bearer ${(json() as { accessToken: string }).accessToken}` }
  const refused = await request(port, 'GET', '/admin/api/connections/refusals', { headers })
  expect([refused.status, refused.json()]).toEqual([200, []])
})
