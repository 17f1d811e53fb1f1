/** Tests the terms of messages over REST: durations, attempts, defaults, and what details show of them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ env: SHORT_ATTEMPTS })
  })

  const detail = async (id: number): Promise<Record<string, unknown>> =>
    (await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body as Record<string, unknown>
  const statusOf = async (id: number) =>
    (await broker.rest.get(`/producer/getMessageStatus/${id}?details=true`)).body

  test.each([
    [{ finishSeconds: 5, believerGuarantee: 'NO' }, 'has no status after DELIVERED'],
    [{ delaySeconds: 60, validSeconds: 60 }, 'The delay of 60 s is not less than the validity of 60 s'],
    [{ validSeconds: 0 }, 'Parameter "validSeconds" is not valid'],
    [{ delaySeconds: '5' }, 'Parameter "delaySeconds" is not valid'],
    [{ maxAttempts: 101 }, 'Parameter "maxAttempts" is not valid'],
  ])('%j → 400, nothing is stored', async (terms, message) => {
    const refused = await broker.request('refused', { command: 'go', ...terms })
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
    expect(await broker.next('refused')).toBeNull()
  })

  test('all terms → shown with their dates; those of a plain message are null', async () => {
    const given = { validSeconds: 60, finishSeconds: 600, delaySeconds: 10, maxAttempts: 3 }
    const id = await broker.send('terms', { command: 'go', ...given })
    const { createdDate, terms } = await detail(id)
    const created = createdDate as number
    const dates = { expiresDate: created + 60_000, finishDate: null, dueDate: created + 10_000 }
    expect(terms).toEqual({ ...given, ...dates })
    expect((await detail(await broker.send('plain', { command: 'go' }))).terms).toBeNull()
  })

  test('delayed → not dispatched, waits LATER until it is due; younger messages are', async () => {
    const id = await broker.send('delayed', { command: 'go', delaySeconds: 600 })
    const younger = await broker.send('delayed', { command: 'go' })
    expect(await broker.next('delayed')).toBe(younger)
    expect(await statusOf(id)).toMatchObject({
      ...{ deliveryStatus: 'NOT_DELIVERED', id, cause: 'STORED', attempts: 0 },
      waits: { reason: 'LATER', messageId: null, until: expect.any(Number) },
    })
  })

  test('validity over → CANCELLED with cause EXPIRED', async () => {
    const id = await broker.send('expired', { command: 'go', validSeconds: 1 })
    await eventually(async () => expect(await broker.status(id)).toBe('CANCELLED'))
    expect(await statusOf(id)).toMatchObject({ cause: 'EXPIRED', waits: null })
    expect(await broker.next('expired')).toBeNull()
    expect((await detail(id)).history).toMatchObject([
      { cause: 'STORED' },
      { deliveryStatus: 'CANCELLED', cause: 'EXPIRED', deviseId: null },
    ])
  })

  test('finish time over → UNKNOWN with cause NOT_FINISHED; a late final acknowledgement counts', async () => {
    const id = await broker.send('unfinished', { command: 'go', finishSeconds: 1 })
    await broker.next('unfinished')
    await broker.acknowledge('unfinished', { id })
    expect((await detail(id)).terms).toMatchObject({ finishSeconds: 1, finishDate: expect.any(Number) })
    await eventually(async () => expect(await broker.status(id)).toBe('UNKNOWN'))
    expect(await broker.acknowledge('unfinished', { id })).toMatchObject({
      ...{ status: 200, body: { deliveryStatus: 'UNKNOWN' } },
    })
    await broker.acknowledge('unfinished', { id, deliveryStatus: 'COMPLETED' })
    expect((await detail(id)).history).toMatchObject([
      { cause: 'STORED' },
      { deliveryStatus: 'DELIVERED', cause: 'ACKNOWLEDGED' },
      { deliveryStatus: 'UNKNOWN', cause: 'NOT_FINISHED', deviseId: null },
      { deliveryStatus: 'COMPLETED', cause: 'ACKNOWLEDGED', deviseId: 'admin' },
    ])
  })

  test('maxAttempts reached → UNKNOWN with cause NOT_ACKNOWLEDGED, and the next message is dispatched', async () => {
    const id = await sendAndPark(broker, 'parked')
    expect(await statusOf(id)).toMatchObject({
      ...{ deliveryStatus: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', attempts: 1, waits: null },
    })
    const next = await broker.send('parked', { command: 'go' })
    expect(await broker.next('parked')).toBe(next)
  })

  test('delivered message with details → three more members', async () => {
    const id = await broker.send('details', { command: 'go', validSeconds: 60, finishSeconds: 600 })
    const poll = (query: string) => broker.rest.get(`/consumer/getLastMessage/details${query}`)
    const { body } = await poll('?details=true')
    expect(body).toEqual([
      {
        ...{ id, currentTimestamp: expect.any(Number), command: 'go' },
        ...{ believerGuarantee: 'RECEIPT_CONFIRMATION', data: {} },
        ...{ attempt: 1, remainingSeconds: expect.any(Number), finishSeconds: 600 },
      },
    ])
    expect(Object.keys((await poll('')).body as object[])).toHaveLength(1)
    expect((await poll('')).text).not.toContain('attempt')
    await broker.rest.put('/admin/api/devices/details', { details: true })
    expect((await poll('')).text).toContain('"attempt":')
  })

  test('defaults of the device → in the terms of its messages, except finishSeconds of NO', async () => {
    await broker.rest.put('/admin/api/devices/defaults', { validSeconds: 60, finishSeconds: 600 })
    const plain = await detail(await broker.send('defaults', { command: 'go' }))
    expect(plain.terms).toMatchObject({ validSeconds: 60, finishSeconds: 600 })
    const no = await detail(await broker.send('defaults', { command: 'go', believerGuarantee: 'NO' }))
    expect(no.terms).toMatchObject({ validSeconds: 60, finishSeconds: null })
    const late = await detail(await broker.send('defaults', { command: 'go', delaySeconds: 40 }))
    expect(late.terms).toMatchObject({ validSeconds: 100, delaySeconds: 40 })
  })

  test('template → its terms are those of the message; they are shown with details only', async () => {
    const { body } = await broker.rest.post('/admin/api/clients', { deviseId: 'boiler', password: 'x' })
    const { id: clientId } = body as { id: number }
    const template = { clientId, command: 'heat', deliveryGuarantee: 'RECEIPT_CONFIRMATION' }
    const terms = { validSeconds: 60, finishSeconds: 600, maxAttempts: 2 }
    const path = '/admin/api/saved-messages'
    const made = await broker.rest.post(path, { ...template, ...terms })
    expect(made.text).not.toContain('validSeconds')
    const { id } = made.body as { id: number }
    expect((await broker.rest.get(`${path}/${id}?details=true`)).body).toMatchObject(terms)
    expect((await broker.rest.get(`${path}?clientId=${clientId}&details=true`)).body).toMatchObject([terms])
    const sent = await broker.rest.post(`${path}/${id}/send`, '')
    expect((await detail((sent.body as { id: number }).id)).terms).toMatchObject(terms)
    // Without a guarantee a template has NO.
    const refused = await broker.rest.post(path, { clientId, command: 'heat', finishSeconds: 5 })
    expect(refused.status).toBe(400)
  })

  test('status of a pending message → the reason why it waits, and until when', async () => {
    const first = await broker.send('waits', { command: 'go' })
    const second = await broker.send('waits', { command: 'go' })
    // No time ends the wait for a device that is away, so there is no `until`.
    expect(await statusOf(first)).toMatchObject({ waits: { reason: 'DEVICE_AWAY', messageId: null } })
    expect(await statusOf(first)).not.toHaveProperty('waits.until')
    expect(await statusOf(second)).toMatchObject({ waits: { reason: 'BEHIND', messageId: first } })
    expect((await broker.rest.get(`/producer/getMessageStatus/${first}`)).text).toBe(
      '{"deliveryStatus":"NOT_DELIVERED"}',
    )
  })
})

test('general validity → applies to a message without one', async () => {
  const broker = await BrokerUnderTest.start({ env: { WAYBILL_VALID_SECONDS: '60' } })
  const id = await broker.send('pump', { command: 'go' })
  const { body } = await broker.rest.get(`/admin/api/messages/${id}?details=true`)
  expect(body).toMatchObject({ terms: { validSeconds: 60, finishSeconds: null } })
})

test('running attempt → its end is shown, with details only', async () => {
  const broker = await BrokerUnderTest.start()
  const id = await broker.send('pump', { command: 'go' })
  await broker.next('pump')
  const path = `/admin/api/messages/${id}`
  const { body } = await broker.rest.get(`${path}?details=true`)
  const until = expect.any(Number)
  expect(body).toMatchObject({
    attempts: [{ number: 1, outcome: 'OPEN', until }],
    waits: { reason: 'ACKNOWLEDGEMENT', until },
  })
  expect((await broker.rest.get(path)).body).toMatchObject({ waits: { until: null } })
})
