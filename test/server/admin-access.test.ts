/** The admin API requires role MAN on every path and method. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { BEARERS, bearerOf } from '../_support/credentials.ts'
import { call } from '../_support/rest.ts'

const PATHS = [
  ['GET', '/clients'],
  ['GET', '/clients/1'],
  ['POST', '/clients'],
  ['PUT', '/clients/1'],
  ['DELETE', '/clients/1'],
  ['POST', '/clients/import'],
  ['GET', '/clients/import/1'],
  ['GET', '/clients/export'],
  ['GET', '/clients/1/keys'],
  ['POST', '/clients/1/keys'],
  ['DELETE', '/clients/1/keys/1'],
  ['GET', '/messages'],
  ['GET', '/messages/1'],
  ['POST', '/messages/1/cancel'],
  ['GET', '/saved-messages'],
  ['GET', '/saved-messages/1'],
  ['POST', '/saved-messages'],
  ['DELETE', '/saved-messages/1'],
  ['POST', '/saved-messages/1/send'],
  ['POST', '/messages/1/resend'],
  ['GET', '/devices'],
  ['GET', '/devices/pump'],
  ['GET', '/devices/pump/service'],
  ['PUT', '/devices/pump/service'],
  ['DELETE', '/devices/pump/service'],
  ['POST', '/devices/service'],
  ['GET', '/devices/pump/notes'],
  ['POST', '/devices/pump/notes'],
  ['DELETE', '/devices/pump/notes/1'],
  ['GET', '/overview'],
  ['GET', '/connections'],
  ['DELETE', '/connections/1'],
  ['GET', '/connections/refusals'],
  ['GET', '/system'],
  ['GET', '/system/backup'],
  ['GET', '/events'],
  ['GET', '/handover'],
  ['GET', '/incidents'],
  ['GET', '/incidents/1'],
  ['GET', '/incidents/1/members'],
  ['POST', '/incidents/1/notes'],
  ['POST', '/incidents/acknowledge'],
  ['POST', '/incidents/mute'],
  ['POST', '/incidents/reopen'],
  ['POST', '/incidents/resolve'],
  ['GET', '/incident-rules'],
  ['PUT', '/incident-rules'],
  ['PATCH', '/clients'],
] as const

describe(`adapter ${ADAPTER}`, () => {
  let url: string
  const bearers: Record<string, string> = {}
  beforeAll(async () => {
    const broker = await BrokerUnderTest.start()
    url = broker.server.url
    await broker.rest.post('/admin/api/clients', { deviseId: 'pump', password: 'sesame' })
    for (const kind of BEARERS) bearers[kind] = await bearerOf(broker, kind, 'pump', 'sesame')
  })

  test.each(PATHS)(
    'admin access: %s %s → 401 without a token, 403 with the token or the key of a device',
    async (method, path) => {
      const body = method === 'POST' || method === 'PUT' ? {} : undefined
      const anonymous = await call(url, method, `/admin/api${path}`, body)
      expect([anonymous.status, anonymous.text]).toEqual([401, '{"error":"Unauthorized"}'])
      for (const kind of BEARERS) {
        const asDevice = await call(url, method, `/admin/api${path}`, body, bearers[kind])
        expect([asDevice.status, asDevice.text]).toEqual([403, '{"error":"Forbidden"}'])
      }
    },
  )

  test.each([
    '/Admin/API/clients',
    '//admin//api//Clients',
    '/%61dmin/api/clients',
    '/admin/api/saved_messages',
  ])('admin access: another spelling of the path, %s → 403 with the token of a device', async (path) => {
    expect((await call(url, 'GET', path, undefined, bearers.token)).status).toBe(403)
  })

  test('admin access: APP_SECURITY_PERMIT_ALL is on → calls without a token succeed', async () => {
    const { server } = await BrokerUnderTest.start({ env: { APP_SECURITY_PERMIT_ALL: 'true' } })
    expect((await call(server.url, 'GET', '/admin/api/clients')).status).toBe(200)
    const made = await call(server.url, 'PUT', '/producer/request/pump', { command: 'x' })
    const { id } = made.body as { id: number }
    expect((await call(server.url, 'POST', `/admin/api/messages/${id}/cancel`)).status).toBe(200)
    expect((await call(server.url, 'GET', `/admin/api/messages/${id}`)).body).toMatchObject({
      senderDeviseId: null,
      history: [
        { cause: 'STORED', deviseId: null },
        { cause: 'CANCELLED', deviseId: null },
      ],
    })
  })
})
