/** The life of a message over REST, as producer and consumer see it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  test('send, poll, acknowledge, ask', async () => {
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

  test('the oldest comes first, one at a time, until it is acknowledged', async () => {
    const ids = [1, 2, 3].map(() => broker.send('belt', { command: 'step' }))
    const inOrder = (await Promise.all(ids)).toSorted((a, b) => a - b)
    for (const id of inOrder) {
      expect(await broker.next('belt')).toBe(id)
      expect(await broker.next('belt')).toBe(id)
      await broker.acknowledge('belt', { id })
    }
    expect(await broker.next('belt')).toBe(null)
  })

  test('a device that nobody knows has a queue, and another device does not see it', async () => {
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
  ])('a device may be called %s', async (deviceId) => {
    const id = await broker.send(deviceId, { command: 'on' })
    expect(await broker.next(deviceId)).toBe(id)
    expect((await broker.acknowledge(deviceId, { id })).body).toEqual({ deliveryStatus: 'DELIVERED' })
    expect(await broker.next(deviceId)).toBe(null)
  })

  test('case matters in the name of a device', async () => {
    await broker.send('Case', { command: 'on' })
    expect(await broker.next('case')).toBe(null)
  })

  test('HEAD tells about the queue without handing anything over', async () => {
    const id = await broker.send('shy', { command: 'on', believerGuarantee: 'NO' })
    const head = await broker.rest.head('/consumer/getLastMessage/shy')
    expect([head.status, head.text]).toEqual([200, ''])
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
    expect(await broker.next('shy')).toBe(id)
  })

  test('the words of a path may be written in other ways', async () => {
    expect((await broker.rest.get('/consumer/get-last-message/nobody')).text).toBe('[]')
    expect((await broker.rest.get('/Consumer//get_last_message/nobody/')).text).toBe('[]')
  })

  test('a method that a path lacks is 405, and Allow lists what it has', async () => {
    const answer = await broker.rest.get('/producer/request/lamp')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ')).toEqual(['OPTIONS', 'PUT'])
  })

  describe('guarantees', () => {
    test('NO: DELIVERED as soon as it is handed over, and handed over once', async () => {
      const id = await broker.send('radio', { command: 'beep', believerGuarantee: 'NO' })
      expect(await broker.status(id)).toBe('NOT_DELIVERED')
      expect((await broker.poll('radio')).body).toMatchObject([{ id, believerGuarantee: 'NO' }])
      expect(await broker.status(id)).toBe('DELIVERED')
      expect(await broker.next('radio')).toBe(null)
    })

    test('NO: of many polls at once, one gets it', async () => {
      const id = await broker.send('crowd', { command: 'beep', believerGuarantee: 'NO' })
      const polls = await Promise.all(Array.from({ length: 8 }, () => broker.next('crowd')))
      expect(polls.filter((got) => got !== null)).toEqual([id])
    })

    test('RECEIPT_CONFIRMATION: waits until the device says so', async () => {
      const id = await broker.send('door', { command: 'open', believerGuarantee: 'RECEIPT_CONFIRMATION' })
      await broker.poll('door')
      expect(await broker.status(id)).toBe('NOT_DELIVERED')
      await broker.acknowledge('door', { id })
      expect(await broker.status(id)).toBe('DELIVERED')
    })

    test('ONLY_LAST: cancels what waits with that command for that device, nothing else', async () => {
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
      // The third of them had cancelled the first two already.
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
