/** Tests acknowledgements over REST: allowed transitions, and refusals. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'

/** Acknowledgements in order (null: without a status), each with the status code and the delivery status of its answer. */
const SEQUENCES: readonly (readonly (readonly [string | null, number, string])[])[] = [
  [[null, 200, 'DELIVERED']],
  [['DELIVERED', 200, 'DELIVERED']],
  [['COMPLETED', 200, 'COMPLETED']],
  [['COMPLETED_WITH_ERROR', 200, 'COMPLETED_WITH_ERROR']],
  // Two steps, the last one repeated.
  [
    ['DELIVERED', 200, 'DELIVERED'],
    [null, 200, 'DELIVERED'],
    ['COMPLETED', 200, 'COMPLETED'],
    ['COMPLETED', 200, 'COMPLETED'],
  ],
  [
    [null, 200, 'DELIVERED'],
    ['COMPLETED_WITH_ERROR', 200, 'COMPLETED_WITH_ERROR'],
    ['COMPLETED_WITH_ERROR', 200, 'COMPLETED_WITH_ERROR'],
  ],
  // Late: a final status stays.
  [
    ['COMPLETED', 200, 'COMPLETED'],
    ['DELIVERED', 200, 'COMPLETED'],
    [null, 200, 'COMPLETED'],
  ],
  [
    ['COMPLETED_WITH_ERROR', 200, 'COMPLETED_WITH_ERROR'],
    [null, 200, 'COMPLETED_WITH_ERROR'],
  ],
  // Another final status: a conflict that changes nothing.
  [
    ['COMPLETED', 200, 'COMPLETED'],
    ['COMPLETED_WITH_ERROR', 409, 'COMPLETED'],
    ['COMPLETED', 200, 'COMPLETED'],
  ],
  [
    ['COMPLETED_WITH_ERROR', 200, 'COMPLETED_WITH_ERROR'],
    ['COMPLETED', 409, 'COMPLETED_WITH_ERROR'],
  ],
]

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  test.each(SEQUENCES.map((sequence, i) => [sequence.map(([status]) => status ?? '(none)').join(', '), i]))(
    'acknowledge: %s, in this order → code and status as the transitions say',
    async (_statuses, i) => {
      const id = await broker.send(`device ${i}`, { command: 'go' })
      for (const [deliveryStatus, code, current] of SEQUENCES[i] ?? []) {
        const answer = await broker.acknowledge(`device ${i}`, {
          id,
          ...(deliveryStatus && { deliveryStatus }),
        })
        expect(answer).toMatchObject({ status: code, body: { deliveryStatus: current } })
        expect(await broker.status(id)).toBe(current)
      }
    },
  )

  test('acknowledge: another final status → 409 with the reason and the current status', async () => {
    const id = await broker.send('mill', { command: 'go' })
    await broker.acknowledge('mill', { id, deliveryStatus: 'COMPLETED' })
    const { status, body } = await broker.acknowledge('mill', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        error: 'Conflict',
        message: `Message ${id} is already COMPLETED, which is final.`,
        deliveryStatus: 'COMPLETED',
      },
    })
  })

  test('acknowledge: a cancelled message → stays CANCELLED; with COMPLETED → 409', async () => {
    const id = await broker.send('fan', { command: 'go' })
    await broker.send('fan', { command: 'go', believerGuarantee: 'ONLY_LAST' })
    expect(await broker.acknowledge('fan', { id })).toMatchObject({
      status: 200,
      body: { deliveryStatus: 'CANCELLED' },
    })
    expect(await broker.acknowledge('fan', { id, deliveryStatus: 'COMPLETED' })).toMatchObject({
      status: 409,
      body: { deliveryStatus: 'CANCELLED' },
    })
  })

  test('acknowledge: a NO message → accepted', async () => {
    const id = await broker.send('horn', { command: 'go', believerGuarantee: 'NO' })
    await broker.poll('horn')
    expect((await broker.acknowledge('horn', { id })).body).toEqual({ deliveryStatus: 'DELIVERED' })
    expect((await broker.acknowledge('horn', { id, deliveryStatus: 'COMPLETED' })).body).toEqual({
      deliveryStatus: 'COMPLETED',
    })
  })

  test('acknowledge: deliveryStatus null → DELIVERED', async () => {
    const id = await broker.send('tap', { command: 'go' })
    expect((await broker.acknowledge('tap', { id, deliveryStatus: null })).body).toEqual({
      deliveryStatus: 'DELIVERED',
    })
  })

  test('acknowledge: before the first poll → not dispatched', async () => {
    const id = await broker.send('bell', { command: 'go' })
    await broker.acknowledge('bell', { id })
    expect(await broker.next('bell')).toBe(null)
  })

  test('acknowledge: unknown id, or a message of another device → 404, nothing changes', async () => {
    const id = await broker.send('mine', { command: 'go' })
    const message = (deviceId: string, wrong: number): object => ({
      status: 404,
      body: { error: 'Not Found', message: `Device "${deviceId}" has no message ${wrong}.` },
    })
    expect(await broker.acknowledge('mine', { id: 999_999 })).toMatchObject(message('mine', 999_999))
    expect(await broker.acknowledge('yours', { id })).toMatchObject(message('yours', id))
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })

  test.each(['NOT_DELIVERED', 'CANCELLED', 'UNKNOWN', 'delivered', '', 1, true, {}])(
    'acknowledge: deliveryStatus %j → 400, nothing changes',
    async (deliveryStatus) => {
      const id = await broker.send('strict', { command: 'go' })
      const { status, body } = await broker.acknowledge('strict', { id, deliveryStatus })
      expect({ status, body }).toEqual({
        status: 400,
        body: {
          error: 'Bad Request',
          message: expect.stringMatching(/"deliveryStatus".*DELIVERED, COMPLETED/),
        },
      })
      expect(await broker.status(id)).toBe('NOT_DELIVERED')
    },
  )

  test.each([undefined, null, '1', 1.5, 0, -1, 2 ** 53, [1]])('acknowledge: id %j → 400', async (id) => {
    const { status, body } = await broker.acknowledge('strict', { id })
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: 'Bad Request', message: expect.stringContaining('"id"') },
    })
  })

  test('message status: unknown id → 404; invalid id → 400', async () => {
    const ask = (id: string): Promise<object> => broker.rest.get(`/producer/getMessageStatus/${id}`)
    expect(await ask('999999')).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'There is no message 999999.' },
    })
    for (const id of ['abc', '0', '-1', '1.0', '9007199254740993', '1e3']) {
      expect(await ask(id)).toMatchObject({ status: 400, body: { error: 'Bad Request' } })
    }
    expect(await ask('1/2')).toMatchObject({ status: 404 })
    expect(await ask('')).toMatchObject({ status: 404 })
  })
})
