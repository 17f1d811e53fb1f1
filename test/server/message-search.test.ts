/** Searches of messages over the API: conditions that no index serves, counts, suggestions, the messages beside one. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { logIn, type Rest } from '../_support/rest.ts'

const MESSAGES = '/admin/api/messages'

interface Item {
  readonly id: number
  readonly deviseId: string
}

describe(`search of messages over ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  /** Ids by name. */
  const id: Record<string, number> = {}

  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
    admin = broker.rest
    for (const [name, device, command, data] of [
      ['start1', 'Pump-1', 'start', '{"zone":"Насос 2"}'],
      ['stop1', 'Pump-1', 'stop', '{"speed":1.0}'],
      ['open', 'valve 7', 'Открыть', '{"speed":12}'],
      ['start2', 'pump-2', 'start', '{}'],
      ['a,b', 'a,b', 'start', '{"Speed": 1}'],
    ] as const) {
      const { body } = await broker.request(device, `{"command":"${command}","data":${data}}`)
      id[name] = (body as Item).id
    }
    await broker.acknowledge('Pump-1', { id: id.start1 as number, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    await broker.acknowledge('valve 7', { id: id.open as number, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    await broker.acknowledge('pump-2', { id: id.start2 as number, deliveryStatus: 'COMPLETED' })
  })

  const found = async (query: string): Promise<string[]> => {
    const { status, body, text } = await admin.get(`${MESSAGES}?${query}`)
    expect(status, text).toBe(200)
    return (body as Item[]).map((each) => Object.keys(id).find((name) => id[name] === each.id) as string)
  }

  test.each([
    ['search=PUMP', ['start2', 'stop1', 'start1']],
    ['search=art', ['a,b', 'start2', 'start1']],
    ['search=открыть', ['open']],
    ['search=%25', []],
    ['search=art&search=op', null],
    ['text=насос', ['start1']],
    ['text=1.0', ['stop1']],
    ['text=%22speed%22:1', ['open', 'stop1']],
    ['text=ab', null],
    ['deviseId=pump-2&deviseId=a,b', ['a,b', 'start2']],
    ['deviseId=pump-2&deviseId=Pump-1&search=st&limit=2', ['start2', 'stop1']],
    ['outcome=FAILED', ['open', 'start1']],
    ['outcome=FAILED&deviseId=Pump-1&deviseId=pump-2', ['start1']],
    ['outcome=GOOD', null],
    ['changedFrom=1&changedTo=2', []],
    ['outcome=FAILED&changedFrom=1&search=valve', ['open']],
    ['senderDeviseId=admin&search=valve', ['open']],
    ['senderDeviseId=nobody&search=valve', []],
    [`${Array.from({ length: 21 }, (_, i) => `deviseId=d${i}`).join('&')}`, null],
  ])('list of messages: %s → %j', async (query, expected) => {
    if (expected === null) expect((await admin.get(`${MESSAGES}?${query}`)).status).toBe(400)
    else expect(await found(query)).toEqual(expected)
  })

  test('list of messages: several devices, two pages → the link names all devices', async () => {
    const first = await admin.get(`${MESSAGES}?deviseId=pump-2&deviseId=a,b&search=art&limit=1`)
    expect((first.body as Item[]).map(({ deviseId }) => deviseId)).toEqual(['a,b'])
    const next = /<(.*)>/.exec(first.headers.get('link') ?? '')?.[1] as string
    expect(next).toContain('deviseId=pump-2&deviseId=a%2Cb')
    expect(first.headers.get('waybill-searched-to')).toBeNull()
    expect(((await admin.get(next)).body as Item[]).map((each) => each.deviseId)).toEqual(['pump-2'])
  })

  test('list of messages: a failure was sent again → resent=false leaves it out, details name the new message', async () => {
    const sent = await admin.post(`${MESSAGES}/${id.open}/resend`, {})
    const again = (sent.body as Item).id
    expect(await found('outcome=FAILED&resent=false')).toEqual(['start1'])
    expect(await found('outcome=FAILED&resent=true')).toEqual(['open'])
    const { body } = await admin.get(`${MESSAGES}?outcome=FAILED&resent=true&details=true`)
    expect(body).toMatchObject([
      { resentAs: again, senderDeviseId: 'admin', attempts: 0, changedDate: expect.any(Number) },
    ])
  })

  test('list of messages: polled messages, with details → the numbers of their attempts', async () => {
    for (const believerGuarantee of ['NO', 'RECEIPT_CONFIRMATION']) {
      await broker.request('polled', `{"command":"go","believerGuarantee":"${believerGuarantee}"}`)
    }
    const attempts = async () => {
      const { body } = await admin.get(`${MESSAGES}?deviseId=polled&details=true`)
      return (body as { attempts: number }[]).map((each) => each.attempts)
    }
    expect(await attempts()).toEqual([0, 0])
    await broker.poll('polled')
    expect(await attempts()).toEqual([0, 1])
    await broker.poll('polled')
    expect(await attempts()).toEqual([1, 1])
  })

  test('count of messages: conditions → as many as the list has', async () => {
    const counted = async (query: string) => (await admin.get(`${MESSAGES}/count?${query}`)).body
    const exactly = (count: number) => ({ count, isExact: true, searchedToDate: null })
    expect(await counted('search=PUMP')).toEqual(exactly(3))
    expect(await counted('deviseId=Pump-1&outcome=FAILED&changedFrom=1')).toEqual(exactly(1))
    expect(await counted('status=COMPLETED')).toEqual(exactly(1))
    expect(await counted('text=never')).toEqual(exactly(0))
  })

  test('suggestions: kinds and parts → values that contain the part', async () => {
    const offered = async (query: string) => (await admin.get(`/admin/api/suggestions?${query}`)).body
    expect(await offered('kind=DEVICE&search=PUMP')).toEqual(['Pump-1', 'pump-2'])
    expect(await offered('kind=COMMAND&search=ST')).toEqual(['start', 'stop'])
    expect(await offered('kind=SENDER')).toEqual(['admin'])
    expect((await admin.get('/admin/api/suggestions')).status).toBe(400)
  })

  test('message: details → the ids beside it and the bytes of its data; without details as before', async () => {
    const { body } = await admin.get(`${MESSAGES}/${id.start1}?details=true`)
    expect(body).toMatchObject({ previousId: null, nextId: id.stop1, dataBytes: 23 })
    const plain = await admin.get(`${MESSAGES}/${id.stop1}`)
    expect(plain.body).not.toHaveProperty('nextId')
    expect(plain.body).not.toHaveProperty('dataBytes')
  })

  test('READER → the same lists, counts and suggestions', async () => {
    await admin.post('/admin/api/clients', { deviseId: 'eye', password: 'sesame', role: 'READER' })
    const reader = await logIn(broker.server.url, 'eye', 'sesame')
    for (const path of [
      `${MESSAGES}?search=pump`,
      `${MESSAGES}/count`,
      '/admin/api/suggestions?kind=COMMAND',
    ])
      expect((await reader.get(path)).text).toBe((await admin.get(path)).text)
  })
})
