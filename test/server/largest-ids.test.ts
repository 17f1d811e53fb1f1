/** Ids and numbers that no record has, up to the largest that JSON holds: they are unknown, and never a failure. */
import { beforeAll, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'

const CLIENT = { deviseId: 'pump', password: 'sesame', role: 'DEVISE' }

describe.each([2 ** 31, Number.MAX_SAFE_INTEGER])('id %i', (id) => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  test.each([
    ['GET', `/producer/getMessageStatus/${id}`],
    ['GET', `/producer/messages/${id}`],
    ['PUT', `/producer/request/pump`, { command: 'on', replaces: id }],
    ['POST', `/consumer/request/pump`, { id, deliveryStatus: 'COMPLETED' }],
    ['GET', `/admin/api/messages/${id}`],
    ['POST', `/admin/api/messages/${id}/cancel`, {}],
    ['POST', `/admin/api/messages/${id}/replay`, {}],
    ['POST', `/admin/api/messages/${id}/resend`, {}],
    ['PUT', `/admin/api/clients/${id}`, CLIENT],
    ['DELETE', `/admin/api/clients/${id}`],
    ['GET', `/admin/api/clients/${id}/keys`],
    ['POST', `/admin/api/clients/${id}/keys`, {}],
    ['DELETE', `/admin/api/clients/1/keys/${id}`],
    ['GET', `/admin/api/clients/import/${id}`],
    ['DELETE', `/admin/api/connections/${id}`],
    ['GET', `/admin/api/saved-messages/${id}`],
    ['DELETE', `/admin/api/saved-messages/${id}`],
    ['POST', `/admin/api/saved-messages/${id}/send`, {}],
  ])('%s %s → 404', async (method, path, body?: object) => {
    const { status, text } = await broker.raw(method, path, body && JSON.stringify(body))
    expect([status, text()]).toEqual([404, expect.any(String)])
  })

  test.each(['messages', 'audit'])('a list of %s before it → 200', async (list) => {
    expect((await broker.rest.get(`/admin/api/${list}?before=${id}`)).status).toBe(200)
  })

  test('the correlation id of a producer → returned as it was sent', async () => {
    const messageBirthCertificate = { tmpId: id, producerDeviseId: 'admin' }
    const sent = await broker.send('lamp', { command: 'on', messageBirthCertificate })
    const { body } = await broker.rest.get(`/admin/api/messages/${sent}`)
    expect(JSON.stringify(body)).toContain(`"tmpId":${id}`)
  })
})

test('the largest settings of a device, and the longest terms of a message → accepted', async () => {
  const broker = await BrokerUnderTest.start()
  const most = {
    ...{
      sendMessagePeriod: 86_400_000,
      maxAttempts: 100,
      validSeconds: 31_536_000,
      finishSeconds: 31_536_000,
    },
    ...{
      queueLimit: 2_147_483_647,
      queueBytes: Number.MAX_SAFE_INTEGER,
      maxBytes: 2_147_483_647,
      expectedSeconds: 31_536_000,
    },
  }
  const put = await broker.rest.put('/admin/api/devices/pump', most)
  expect([put.status, put.body]).toEqual([200, expect.objectContaining(most)])
  const terms = { validSeconds: 31_536_000, finishSeconds: 31_536_000, maxAttempts: 100 }
  const now = await broker.send('pump', { command: 'on', ...terms })
  const later = await broker.send('pump', { command: 'on', delaySeconds: 31_535_999, ...terms })
  expect(await broker.next('pump')).toBe(now)
  expect((await broker.acknowledge('pump', { id: now, deliveryStatus: 'DELIVERED' })).status).toBe(200)
  expect(await broker.status(later)).toBe('NOT_DELIVERED')
})
