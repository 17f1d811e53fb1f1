/** Tests APP_SECURITY_OWN_QUEUE_ONLY over REST: a device acts for its own device id only. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const FORBIDDEN = '{"error":"Forbidden"}'
const commandWithResultsFor = (producerDeviseId: string | null): object => ({
  command: 'on',
  messageBirthCertificate: { tmpId: 7, producerDeviseId },
})

describe('APP_SECURITY_OWN_QUEUE_ONLY', () => {
  let broker: BrokerUnderTest
  let lamp: Rest
  beforeAll(async () => {
    const dataDir = await withClients('lamp', 'radio')
    broker = await BrokerUnderTest.start({
      dataDir,
      env: { APP_SECURITY_OWN_QUEUE_ONLY: 'true' },
    })
    lamp = await logIn(broker.server.url, 'lamp', PASSWORD)
  })

  test('own queue: poll and acknowledge → 200', async () => {
    const id = await broker.send('lamp', { command: 'on' })
    expect((await lamp.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ id }])
    expect(await lamp.post('/consumer/request/lamp', { id })).toMatchObject({ status: 200 })
  })

  test("another client's queue: poll and acknowledge → 403, the queue is unchanged", async () => {
    const id = await broker.send('radio', { command: 'on', believerGuarantee: 'NO' })
    for (const path of ['getLastMessage/radio', 'get-last-message/radio', 'getLastMessage/%72adio']) {
      const answer = await lamp.get(`/consumer/${path}`)
      expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
    }
    expect((await lamp.head('/consumer/getLastMessage/radio')).status).toBe(403)
    const answer = await lamp.post('/consumer/request/radio', { id, deliveryStatus: 'COMPLETED' })
    expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })

  test('send to another device: results for itself or for no client → 200; for another client → 403', async () => {
    for (const producer of ['lamp', '0', null]) {
      expect((await lamp.put('/producer/request/radio', commandWithResultsFor(producer))).status).toBe(200)
    }
    const answer = await lamp.put('/producer/request/radio', commandWithResultsFor('radio'))
    expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
  })

  test('admin: polls any queue, has results sent to any client → 200', async () => {
    const admin = await logIn(broker.server.url, 'admin', ADMIN_PASSWORD)
    expect((await admin.get('/consumer/getLastMessage/lamp')).status).toBe(200)
    expect((await admin.put('/producer/request/radio', commandWithResultsFor('lamp'))).status).toBe(200)
  })
})

test("APP_SECURITY_OWN_QUEUE_ONLY with APP_SECURITY_PERMIT_ALL: poll of another client's queue → 200", async () => {
  const env = { APP_SECURITY_OWN_QUEUE_ONLY: 'true', APP_SECURITY_PERMIT_ALL: 'true' }
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp'), env })
  const lamp = await logIn(broker.server.url, 'lamp', PASSWORD)
  expect((await lamp.get('/consumer/getLastMessage/radio')).status).toBe(200)
})
