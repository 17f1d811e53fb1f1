/** Tests the life of a message over REST, as producer and consumer see it. Runs over each adapter. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  test('message over REST: send, poll, ask, acknowledge → the documented answers', async () => {
    const from = Date.now()
    const sent = await broker.rest.put('/producer/request/lamp', {
      command: 'switch',
      believerGuarantee: 'RECEIPT_CONFIRMATION',
      data: { on: true },
      messageBirthCertificate: { tmpId: 17, producerDeviseId: '0' },
    })
    const { id } = sent.body as { id: number }
    expect(Number.isInteger(id) && id > 0 && id < 2 ** 31).toBe(true)
    expect(sent.status).toBe(200)
    expect(sent.headers.get('content-type')).toBe('application/json')
    expect(sent.text).toBe(`{"id":${id},"tmpId":17,"deliveryStatus":"NOT_DELIVERED"}`)

    const polled = await broker.rest.get('/consumer/getLastMessage/lamp')
    const [{ currentTimestamp }] = polled.body as [{ currentTimestamp: number }]
    expect(polled.status).toBe(200)
    expect(polled.headers.get('content-type')).toBe('application/json')
    expect(polled.text).toBe(
      `[{"id":${id},"currentTimestamp":${currentTimestamp},"command":"switch",` +
        '"believerGuarantee":"RECEIPT_CONFIRMATION","data":{"on":true}}]',
    )
    expect(currentTimestamp).toBeGreaterThanOrEqual(from)
    expect(currentTimestamp).toBeLessThanOrEqual(Date.now())

    const status = await broker.rest.get(`/producer/getMessageStatus/${id}`)
    expect([status.status, status.text]).toEqual([200, '{"deliveryStatus":"NOT_DELIVERED"}'])
    const acknowledged = await broker.rest.post('/consumer/request/lamp', { id, deliveryStatus: 'COMPLETED' })
    expect([acknowledged.status, acknowledged.text]).toEqual([200, '{"deliveryStatus":"COMPLETED"}'])
    expect((await broker.rest.get(`/producer/getMessageStatus/${id}`)).text).toBe(
      '{"deliveryStatus":"COMPLETED"}',
    )
    expect((await broker.rest.get('/consumer/getLastMessage/lamp')).text).toBe('[]')
  })

  test('poll: three messages are pending → the oldest, until it is acknowledged', async () => {
    const ids = [1, 2, 3].map(() => broker.send('belt', { command: 'step' }))
    const inOrder = (await Promise.all(ids)).toSorted((a, b) => a - b)
    for (const id of inOrder) {
      expect(await broker.next('belt')).toBe(id)
      expect(await broker.next('belt')).toBe(id)
      await broker.acknowledge('belt', { id })
    }
    expect(await broker.next('belt')).toBe(null)
  })

  test('poll: a device id that is no client → its own queue only', async () => {
    const id = await broker.send('never-seen', { command: 'wake' })
    expect(await broker.next('never-seen-either')).toBe(null)
    expect(await broker.next('never-seen')).toBe(id)
  })

  test.each([
    'a/b',
    'ä ö',
    '100%',
    'a?b#c',
    'a+b&c=d',
    '"q"\\',
    "'; DROP TABLE messages; --",
    '😀',
    'request',
    'default',
    '0',
  ])('device id: %s → a queue like any other', async (deviceId) => {
    const id = await broker.send(deviceId, { command: 'on' })
    expect(await broker.next(deviceId)).toBe(id)
    expect((await broker.acknowledge(deviceId, { id })).body).toEqual({ deliveryStatus: 'DELIVERED' })
    expect(await broker.next(deviceId)).toBe(null)
  })

  test('device id: another case → another queue', async () => {
    await broker.send('Case', { command: 'on' })
    expect(await broker.next('case')).toBe(null)
  })

  test('poll: HEAD → 200 without a body, nothing is dispatched', async () => {
    const id = await broker.send('shy', { command: 'on', believerGuarantee: 'NO' })
    const head = await broker.rest.head('/consumer/getLastMessage/shy')
    expect([head.status, head.text]).toEqual([200, ''])
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
    expect(await broker.next('shy')).toBe(id)
  })

  test('path: other spellings of its words → the same endpoint', async () => {
    expect((await broker.rest.get('/consumer/get-last-message/unknown')).text).toBe('[]')
    expect((await broker.rest.get('/Consumer//get_last_message/unknown/')).text).toBe('[]')
  })

  test('path: a method that it lacks → 405, Allow lists its methods', async () => {
    const answer = await broker.rest.get('/producer/request/lamp')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ')).toEqual(['OPTIONS', 'PUT'])
  })

  describe('guarantee', () => {
    test('NO: a poll → DELIVERED, not dispatched again', async () => {
      const id = await broker.send('radio', { command: 'beep', believerGuarantee: 'NO' })
      expect(await broker.status(id)).toBe('NOT_DELIVERED')
      expect((await broker.poll('radio')).body).toMatchObject([{ id, believerGuarantee: 'NO' }])
      expect(await broker.status(id)).toBe('DELIVERED')
      expect(await broker.next('radio')).toBe(null)
    })

    test('NO: eight polls at once → one gets it', async () => {
      const id = await broker.send('crowd', { command: 'beep', believerGuarantee: 'NO' })
      const polls = await Promise.all(Array.from({ length: 8 }, () => broker.next('crowd')))
      expect(polls.filter((got) => got !== null)).toEqual([id])
    })

    test('RECEIPT_CONFIRMATION: polled, then acknowledged → DELIVERED only then', async () => {
      const id = await broker.send('door', { command: 'open', believerGuarantee: 'RECEIPT_CONFIRMATION' })
      await broker.poll('door')
      expect(await broker.status(id)).toBe('NOT_DELIVERED')
      await broker.acknowledge('door', { id })
      expect(await broker.status(id)).toBe('DELIVERED')
    })

    test('ONLY_LAST: pending messages of the device → those with the same command are cancelled, no others', async () => {
      const send = (deviceId: string, command: string, believerGuarantee: string): Promise<number> =>
        broker.send(deviceId, { command, believerGuarantee })
      const done = await send('blind', 'move', 'RECEIPT_CONFIRMATION')
      await broker.acknowledge('blind', { id: done })
      const cancelled = [
        await send('blind', 'move', 'NO'),
        await send('blind', 'move', 'RECEIPT_CONFIRMATION'),
        await send('blind', 'move', 'ONLY_LAST'),
      ]
      const others = [await send('blind', 'stop', 'ONLY_LAST'), await send('blind 2', 'move', 'ONLY_LAST')]
      const last = await send('blind', 'move', 'ONLY_LAST')
      const statuses = (ids: number[]): Promise<string[]> => Promise.all(ids.map((id) => broker.status(id)))
      // The third one had already cancelled the first two.
      expect(await statuses(cancelled)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED'])
      expect(await statuses([done, ...others, last])).toEqual([
        'DELIVERED',
        'NOT_DELIVERED',
        'NOT_DELIVERED',
        'NOT_DELIVERED',
      ])
      expect(await broker.next('blind')).toBe(others[0])
    })
  })
})
