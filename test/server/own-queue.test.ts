/** APP_SECURITY_OWN_QUEUE_ONLY over REST: a device acts for its own device id only. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_PASSWORD, BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const FORBIDDEN = '{"error":"Forbidden"}'
const birth = (producerDeviseId: string | null): object => ({
  command: 'on',
  messageBirthCertificate: { tmpId: 7, producerDeviseId },
})

describe('switched on', () => {
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

  test('its own queue is open to it', async () => {
    const id = await broker.send('lamp', { command: 'on' })
    expect((await lamp.get('/consumer/getLastMessage/lamp')).body).toMatchObject([{ id }])
    expect(await lamp.post('/consumer/request/lamp', { id })).toMatchObject({ status: 200 })
  })

  test('the queue of another one is closed, and stays as it was', async () => {
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

  test('it may send to every device, and have results told to itself or to nobody', async () => {
    for (const producer of ['lamp', '0', null]) {
      expect((await lamp.put('/producer/request/radio', birth(producer))).status).toBe(200)
    }
    const answer = await lamp.put('/producer/request/radio', birth('radio'))
    expect([answer.status, answer.text]).toEqual([403, FORBIDDEN])
  })

  test('the admin may do everything', async () => {
    const admin = await logIn(broker.server.url, 'admin', ADMIN_PASSWORD)
    expect((await admin.get('/consumer/getLastMessage/lamp')).status).toBe(200)
    expect((await admin.put('/producer/request/radio', birth('lamp'))).status).toBe(200)
  })
})

test('with access checks off nothing is checked', async () => {
  const env = { APP_SECURITY_OWN_QUEUE_ONLY: 'true', APP_SECURITY_PERMIT_ALL: 'true' }
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('lamp'), env })
  const lamp = await logIn(broker.server.url, 'lamp', PASSWORD)
  expect((await lamp.get('/consumer/getLastMessage/radio')).status).toBe(200)
})
