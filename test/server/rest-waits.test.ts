/** Requests that wait, over REST: polls of devices, and producers that wait for a status. */
import { beforeAll, describe, expect, test } from 'vitest'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { eventually } from '../_support/eventually.ts'
import { type Answer, type Client, request } from '../_support/http.ts'
import { openRequest, openRequests } from '../_support/open-requests.ts'
import { logIn } from '../_support/rest.ts'

const COMMAND = { command: 'start', data: { speed: 1 } }
const ONCE = { ...COMMAND, believerGuarantee: 'NO' }

const pollOf = (deviceId: string, wait: number | string = 60): string =>
  `/consumer/getLastMessage/${deviceId}?wait=${wait}`
const statusOf = (id: number, query = 'wait=60'): string => `/producer/getMessageStatus/${id}?${query}`

const idsIn = ({ status, json }: Answer): unknown =>
  status === 200 ? (json() as { id: number }[]).map(({ id }) => id) : status

/** Returns the ids in the answer that a wait got. */
const idsOf = async (client: Client): Promise<unknown> => idsIn(await client.answer())

/** Resolves when the server has read everything that was sent before, the ends of connections too. */
const roundTrip = (broker: BrokerUnderTest) => request(broker.port, 'GET', '/nothing')

async function transportOf(broker: BrokerUnderTest, deviceId: string): Promise<unknown> {
  const { body } = await broker.rest.get(`/admin/api/devices/${deviceId}`)
  return (body as { transport: unknown }).transport
}

async function setPeriod(
  broker: BrokerUnderTest,
  deviceId: string,
  sendMessagePeriod: number,
): Promise<void> {
  expect((await broker.rest.put(`/admin/api/devices/${deviceId}`, { sendMessagePeriod })).status).toBe(200)
}

describe('a poll with wait', () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  test('a command is pending → the body of a plain poll, at once', async () => {
    const id = await broker.send('ready', COMMAND)
    const { status, headers, json } = await (await openRequest(broker, pollOf('ready'))).answer()
    expect([status, json()]).toEqual([
      200,
      [
        {
          ...{ id, command: 'start', data: { speed: 1 } },
          ...{ believerGuarantee: 'RECEIPT_CONFIRMATION', currentTimestamp: expect.any(Number) },
        },
      ],
    ])
    expect(headers['retry-after']).toBeUndefined()
  })

  test('a command is stored later → answered then; the device is present as long as it waits', async () => {
    const wait = await openRequest(broker, pollOf('idle'))
    await eventually(async () => expect(await transportOf(broker, 'idle')).toBe('REST'))
    const id = await broker.send('idle', COMMAND)
    expect(await idsOf(wait)).toEqual([id])
    await eventually(async () => expect(await transportOf(broker, 'idle')).toBeNull())
  })

  test('details=true, or the setting of the device → the command with its details', async () => {
    const asked = await openRequest(broker, `${pollOf('detailed')}&details=true`)
    const plain = await openRequest(broker, pollOf('detailed'))
    await broker.send('detailed', { ...COMMAND, validSeconds: 600 })
    expect((await asked.answer()).json()).toMatchObject([{ attempt: 1, remainingSeconds: 600 }])
    expect((await plain.answer()).text()).not.toContain('attempt')
    await broker.rest.put('/admin/api/devices/always', { details: true })
    await broker.send('always', COMMAND)
    expect((await broker.rest.get(pollOf('always'))).body).toMatchObject([
      { attempt: 1, finishSeconds: null },
    ])
  })

  test('100 waits and one command → all of them get it, in one attempt', async () => {
    const waits = await openRequests(broker, Array(100).fill(pollOf('crowd')))
    const id = await broker.send('crowd', COMMAND)
    expect(await Promise.all(waits.map(idsOf))).toEqual(Array(100).fill([id]))
    const { body } = await broker.rest.get(`/admin/api/messages/${id}`)
    expect((body as { attempts: unknown[] }).attempts).toMatchObject([{ transport: 'REST' }])
  })

  test('two waits and two NO messages → each goes to the first wait alone', async () => {
    const [first, second] = (await openRequests(broker, Array(2).fill(pollOf('once')))) as [Client, Client]
    const ids = [await broker.send('once', ONCE)]
    expect(await idsOf(first)).toEqual(ids)
    ids.push(await broker.send('once', ONCE))
    expect(await idsOf(second)).toEqual(ids.slice(1))
    expect(await Promise.all(ids.map((id) => broker.status(id)))).toEqual(['DELIVERED', 'DELIVERED'])
  })

  test('one wait and three NO messages → one is dispatched, the others stay pending', async () => {
    const ids = [
      await broker.send('single', ONCE),
      await broker.send('single', ONCE),
      await broker.send('single', ONCE),
    ]
    expect(await idsOf(await openRequest(broker, pollOf('single')))).toEqual([ids[0]])
    await roundTrip(broker)
    expect(await Promise.all(ids.map((id) => broker.status(id)))).toEqual([
      'DELIVERED',
      'NOT_DELIVERED',
      'NOT_DELIVERED',
    ])
    expect(await idsOf(await openRequest(broker, pollOf('single', 0)))).toEqual([ids[1]])
  })

  test('the attempt runs → neither a wait nor wait=0 returns the message, a plain poll does', async () => {
    const id = await broker.send('running', COMMAND)
    const next = await broker.send('running', COMMAND)
    expect(await broker.next('running')).toBe(id)
    const wait = await openRequest(broker, pollOf('running'))
    expect(await idsOf(await openRequest(broker, pollOf('running', 0)))).toEqual([])
    expect(await broker.next('running')).toBe(id)
    await broker.acknowledge('running', { id })
    expect(await idsOf(wait)).toEqual([next])
  })

  test('the peer leaves → its device is away at once, and a NO message stays pending', async () => {
    const wait = await openRequest(broker, pollOf('leaver'))
    await wait.leave()
    await roundTrip(broker)
    expect(await transportOf(broker, 'leaver')).toBeNull()
    const id = await broker.send('leaver', ONCE)
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
    expect(await broker.next('leaver')).toBe(id)
  })

  test('the peer leaves while the pacing interval holds a NO message → the message stays pending', async () => {
    await setPeriod(broker, 'paced', 86_400_000)
    const first = await broker.send('paced', COMMAND)
    await broker.next('paced')
    await broker.acknowledge('paced', { id: first })
    const id = await broker.send('paced', ONCE)
    const wait = await openRequest(broker, pollOf('paced'))
    await wait.leave()
    await roundTrip(broker)
    await setPeriod(broker, 'paced', 0)
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
    expect(await broker.next('paced')).toBe(id)
  })

  test('the pacing interval holds a command → the wait ends with the interval', async () => {
    const periodMs = 250
    await setPeriod(broker, 'spaced', periodMs)
    const ids = [await broker.send('spaced', ONCE), await broker.send('spaced', ONCE)]
    const polls = [
      await openRequest(broker, pollOf('spaced')),
      await openRequest(broker, pollOf('spaced', 0)),
      await openRequest(broker, pollOf('spaced')),
    ]
    const answers = await Promise.all(polls.map((poll) => poll.answer()))
    expect(answers.map(idsIn)).toEqual([[ids[0]], [], [ids[1]]])
    const [first, , last] = answers.map((each) => (each.json() as { currentTimestamp: number }[])[0])
    const apartMs = (last?.currentTimestamp ?? 0) - (first?.currentTimestamp ?? 0)
    // The wall clock of the timestamps may be read a little after the clock of the interval.
    expect(apartMs).toBeGreaterThan(periodMs - 25)
  })

  test('wait=0 without a command → an empty list at once', async () => {
    const { headers, text } = await (await openRequest(broker, pollOf('nothing', 0))).answer()
    expect([text(), headers['retry-after']]).toEqual(['[]', undefined])
  })

  test('wait=1 without a command → an empty list after it', async () => {
    expect(await idsOf(await openRequest(broker, pollOf('nothing', 1)))).toEqual([])
  })

  test.each(['soon', '1.5', '-1', '1e1', '+1', '0x1'])('wait=%s → 400', async (wait) => {
    const { status, body } = await broker.rest.get(pollOf('wrong', encodeURIComponent(wait)))
    expect([status, (body as { message: string }).message]).toEqual([400, expect.stringMatching(/"wait"/)])
  })

  test.each(['', 'wait', 'wait=', 'unknown=5'])(
    'query "%s" → a plain poll, or 400 for a bare name',
    async (query) => {
      const { status, body } = await broker.rest.get(`/consumer/getLastMessage/plain?${query}`)
      if (status === 200) expect(body).toEqual([])
      else expect([query, status]).toEqual(['wait', 400])
    },
  )

  test('HEAD with wait → 200 at once, and no message is dispatched', async () => {
    const id = await broker.send('headed', ONCE)
    expect((await broker.rest.head(pollOf('headed'))).status).toBe(200)
    expect(await broker.status(id)).toBe('NOT_DELIVERED')
  })
})

describe('a status with wait', () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
  })

  test('the message ends → answered then, and not by DELIVERED', async () => {
    const id = await broker.send('pump', COMMAND)
    const waits = await openRequests(broker, [
      statusOf(id),
      statusOf(id, 'wait=60&changedFrom=NOT_DELIVERED'),
      statusOf(id, 'wait=60&changedFrom=DELIVERED'),
    ])
    const [ended, changed, other] = waits.map((each) => each.answer()) as [
      Promise<Answer>,
      Promise<Answer>,
      Promise<Answer>,
    ]
    expect((await other).text()).toBe('{"deliveryStatus":"NOT_DELIVERED"}')
    await broker.acknowledge('pump', { id, deliveryStatus: 'DELIVERED' })
    expect((await changed).text()).toBe('{"deliveryStatus":"DELIVERED"}')
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
    expect((await ended).text()).toBe('{"deliveryStatus":"COMPLETED"}')
  })

  test('details=true → the details at the end of the wait', async () => {
    const id = await broker.send('pump', COMMAND)
    const wait = await openRequest(broker, statusOf(id, 'wait=60&details=true'))
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED', result: { litres: 12 } })
    expect((await wait.answer()).json()).toMatchObject({
      deliveryStatus: 'COMPLETED',
      id,
      result: { litres: 12 },
    })
  })

  test('the message ended before → answered at once', async () => {
    const id = await broker.send('pump', COMMAND)
    await broker.rest.post(`/admin/api/messages/${id}/cancel`, {})
    expect((await broker.rest.get(statusOf(id))).text).toBe('{"deliveryStatus":"CANCELLED"}')
  })

  test('nothing changes → the present status at the end', async () => {
    const id = await broker.send('pump', COMMAND)
    for (const wait of [0, 1]) {
      const { text, headers } = await broker.rest.get(statusOf(id, `wait=${wait}`))
      expect([text, headers.get('retry-after')]).toEqual(['{"deliveryStatus":"NOT_DELIVERED"}', null])
    }
  })

  test('an unknown message → 404 at once', async () => {
    expect((await broker.rest.get(statusOf(4_000_000))).status).toBe(404)
  })

  test.each(['wait=soon', 'wait=1&changedFrom=DONE'])('%s → 400', async (query) => {
    const id = await broker.send('pump', COMMAND)
    expect((await broker.rest.get(statusOf(id, query))).status).toBe(400)
  })
})

describe('the limit of waits', () => {
  test('beyond it → answered at once with Retry-After, for both kinds; a pending command is dispatched', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_WAITS_LIMIT: '2' } })
    const id = await broker.send('pump', COMMAND)
    const waits = await openRequests(broker, [pollOf('valve'), statusOf(id)])
    const poll = await broker.rest.get(pollOf('lamp'))
    expect([poll.text, poll.headers.get('retry-after')]).toEqual(['[]', '1'])
    const status = await broker.rest.get(statusOf(id))
    expect([status.text, status.headers.get('retry-after')]).toEqual([
      '{"deliveryStatus":"NOT_DELIVERED"}',
      '1',
    ])

    const ready = await broker.rest.get(pollOf('pump'))
    expect([ready.body, ready.headers.get('retry-after')]).toMatchObject([[{ id }], null])
    await broker.acknowledge('pump', { id, deliveryStatus: 'COMPLETED' })
    expect((await (waits[1] as Client).answer()).json()).toEqual({ deliveryStatus: 'COMPLETED' })

    const free = await openRequest(broker, pollOf('lamp'))
    const later = await broker.send('lamp', COMMAND)
    expect(await idsOf(free)).toEqual([later])
  })

  test('the peer leaves → its place is free', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_WAITS_LIMIT: '1' } })
    const id = await broker.send('pump', COMMAND)
    for (const target of [pollOf('valve'), statusOf(id)]) {
      const wait = await openRequest(broker, target)
      expect((await broker.rest.get(pollOf('lamp'))).headers.get('retry-after')).toBe('1')
      await wait.leave()
      await eventually(async () => {
        const { headers } = await broker.rest.get(statusOf(id, 'wait=1'))
        expect(headers.get('retry-after')).toBeNull()
      })
    }
  })

  test('0 → no request waits', async () => {
    const broker = await BrokerUnderTest.start({ env: { WAYBILL_WAITS_LIMIT: '0' } })
    expect((await broker.rest.get(pollOf('lamp'))).headers.get('retry-after')).toBe('1')
    expect((await broker.rest.get(pollOf('lamp', 0))).headers.get('retry-after')).toBeNull()
  })
})

test('a stop → all waits are answered at once with what there is', async () => {
  const broker = await BrokerUnderTest.start()
  const id = await broker.send('pump', COMMAND)
  const waits = await openRequests(broker, [pollOf('valve'), pollOf('lamp'), statusOf(id)])
  const stopped = broker.server.kill()
  expect(await Promise.all(waits.map(async (each) => (await each.answer()).text()))).toEqual([
    '[]',
    '[]',
    '{"deliveryStatus":"NOT_DELIVERED"}',
  ])
  await stopped
})

test('own queue only → a wait for another device is 403, for a foreign message 404', async () => {
  const broker = await BrokerUnderTest.start({
    dataDir: await withClients('lamp'),
    env: { APP_SECURITY_OWN_QUEUE_ONLY: 'true' },
  })
  const lamp = await logIn(broker.server.url, 'lamp', PASSWORD)
  const id = await broker.send('pump', COMMAND)
  expect((await lamp.get(pollOf('pump'))).status).toBe(403)
  expect((await lamp.get(statusOf(id))).status).toBe(404)
  expect(await broker.status(id)).toBe('NOT_DELIVERED')
})
