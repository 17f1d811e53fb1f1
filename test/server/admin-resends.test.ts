/** Tests the links between a message and those that send its command again. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const MESSAGES = '/admin/api/messages'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
    admin = broker.rest
  })

  const failed = async (deviceId: string): Promise<number> => {
    const id = await broker.send(deviceId, { command: 'go' })
    await broker.next(deviceId)
    await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    return id
  }
  const resend = async (id: number): Promise<number> =>
    ((await admin.post(`${MESSAGES}/${id}/resend`, '')).body as { id: number }).id
  const detail = async (id: number, rest = admin): Promise<unknown> =>
    (await rest.get(`${MESSAGES}/${id}?details=true`)).body

  test('re-sent message: details → both messages name each other; without details no member is new', async () => {
    const id = await failed('linked')
    expect(await detail(id)).toMatchObject({ resentFrom: null, resentAs: null })

    const again = await resend(id)

    expect(await detail(id)).toMatchObject({ resentFrom: null, resentAs: again })
    expect(await detail(again)).toMatchObject({ resentFrom: id, resentAs: null })
    const plain = await admin.get(`${MESSAGES}/${again}`)
    expect(plain.text).not.toContain('resent')
    const listed = await admin.get(`${MESSAGES}?deviseId=linked&details=true`)
    expect(listed.body).toMatchObject([
      { id: again, resentAs: null },
      { id, resentAs: again },
    ])
    expect((await admin.get(`${MESSAGES}?deviseId=linked`)).text).not.toContain('resentAs')
  })

  test('re-sent message: with own queues only its producer → no id of the other message', async () => {
    const guarded = await BrokerUnderTest.start({ env: { APP_SECURITY_OWN_QUEUE_ONLY: 'true' } })
    const client = { deviseId: 'pump', password: 'sesame' }
    await guarded.rest.post('/admin/api/clients', client)
    const pump = await logIn(guarded.server.url, client.deviseId, client.password)
    const sent = await pump.put('/producer/request/pump', { command: 'go', believerGuarantee: 'NO' })
    const { id } = sent.body as { id: number }
    await guarded.next('pump')
    await guarded.rest.post(`${MESSAGES}/${id}/resend`, '')

    expect((await pump.get(`/producer/messages/${id}`)).body).toMatchObject({ id, resentAs: null })
    expect((await guarded.rest.get(`/producer/messages/${id}`)).body).toMatchObject({
      resentAs: expect.any(Number),
    })
  })
})
