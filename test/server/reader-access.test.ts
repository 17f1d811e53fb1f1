/** A client with role READER reads everything and changes nothing: it tries every operation of the API description. */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { prefixPaths } from '../../src/app/site.ts'
import { type ApiDescription, describeSite } from '../../src/web/openapi.ts'
import { readSite } from '../../src/web/read-site.ts'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { type Described, type Input, operationsOf, Reader } from '../_support/described.ts'
import { refusalOf, VERSIONS } from '../_support/mqtt.ts'
import { logIn, type Rest, tokenOf } from '../_support/rest.ts'
import { send } from '../_support/send-input.ts'

const OPERATIONS = operationsOf(
  describeSite(await readSite(prefixPaths(['@broker'])), { title: 'API', version: '0' }),
).map((each) => [`${each.method} ${each.path}`, each] as const)

const BACKUP = '/admin/api/system/backup'

function isAllowed({ method, path }: Described): boolean {
  if (path.startsWith('/auth/')) return true
  if (method !== 'GET') return false
  return (
    path === '/metrics' ||
    path.startsWith('/producer/') ||
    (path.startsWith('/admin/api/') && path !== BACKUP)
  )
}

const ALLOWED = OPERATIONS.filter(([, each]) => isAllowed(each))
const FORBIDDEN = OPERATIONS.filter(([, each]) => !isAllowed(each))

let broker: BrokerUnderTest
let auditor: Rest
let token: string
let inputs: Reader

beforeAll(async () => {
  broker = await BrokerUnderTest.start({
    dataDir: await withClients('pump-1', ['auditor', 'READER']),
    mqtt: true,
    // No request waits, whatever number of seconds a test makes up.
    env: { WAYBILL_WAITS_LIMIT: '0', APP_SECURITY_OWN_QUEUE_ONLY: 'true' },
  })
  await broker.send('pump-1', { command: 'start' })
  token = await tokenOf(broker.server.url, 'auditor', PASSWORD)
  auditor = await logIn(broker.server.url, 'auditor', PASSWORD)
  const description = (await broker.rest.get('/v3/api-docs')).body as ApiDescription
  inputs = new Reader(description, ['pump-1', 1], [new Blob(['deviseId\n'], { type: 'text/csv' })])
})

const attempt = (of: Described) => {
  const [input] = fc.sample(inputs.good(of), { numRuns: 1, seed: 1 }) as [Input]
  return send(broker.server.url, of, input, token)
}

describe(`READER over ${ADAPTER}`, () => {
  test.each(ALLOWED)('READER: %s → not refused', async (_title, of) => {
    const answer = await attempt(of)
    expect(inputs.complaint(of, answer)).toBe(null)
    // The made-up credentials of a login are wrong.
    if (!of.path.startsWith('/auth/login')) expect([401, 403]).not.toContain(answer.status)
  })

  test.each(FORBIDDEN)('READER: %s → 403, nothing changes', async (_title, of) => {
    const before = (await broker.rest.get('/admin/api/messages/1')).text
    const answer = await attempt(of)
    expect([answer.status, answer.text]).toEqual([403, of.method === 'HEAD' ? '' : '{"error":"Forbidden"}'])
    expect((await broker.rest.get('/admin/api/messages/1')).text).toBe(before)
  })

  test('READER: messages of other clients, with own queues only → status and details', async () => {
    expect((await auditor.get('/producer/getMessageStatus/1?details=true')).body).toMatchObject({ id: 1 })
    expect((await auditor.get('/producer/messages/1')).body).toMatchObject({ senderDeviseId: 'admin' })
    expect((await auditor.get('/producer/messages?id=1')).body).toMatchObject([{ id: 1 }])
    expect((await auditor.get('/auth/me')).body).toEqual({ deviseId: 'auditor', role: 'READER' })
  })

  test('READER: loses its role → its token is refused, a new login gets 403', async () => {
    const made = await broker.rest.post('/admin/api/clients', {
      deviseId: 'former',
      password: PASSWORD,
      role: 'READER',
    })
    const { id } = made.body as { id: number }
    const before = await logIn(broker.server.url, 'former', PASSWORD)
    expect((await before.get('/admin/api/overview')).status).toBe(200)
    await broker.rest.put(`/admin/api/clients/${id}`, { role: 'DEVISE' })
    expect((await before.get('/admin/api/overview')).status).toBe(401)
    const former = await logIn(broker.server.url, 'former', PASSWORD)
    expect((await former.get('/admin/api/overview')).status).toBe(403)
  })
})

test.each(VERSIONS)('READER: login over MQTT level %i, by password and by token → refused', async (level) => {
  const refused = level === 5 ? 0x87 : 5
  for (const password of [PASSWORD, token]) {
    const login = { port: broker.mqttPort, username: 'auditor', protocolVersion: level, password }
    expect(await refusalOf(login)).toBe(refused)
  }
  expect((await broker.rest.get('/admin/api/connections/refusals')).body).toContainEqual(
    expect.objectContaining({ reason: 'ROLE_NOT_ALLOWED', deviseId: 'auditor', transport: 'MQTT' }),
  )
})
