/** Tests /admin/api/messages: lists and pages, one message with its history, resend, cancel. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { logIn, type Rest } from '../_support/rest.ts'
import { databaseIn, rowsOf } from '../_support/stored.ts'

const MESSAGES = '/admin/api/messages'

interface Item {
  readonly id: number
  readonly createdDate: number
  readonly deliveryStatus: string
}

/** Returns the target of the Link header; null if there is none. */
function nextOf(headers: Headers): string | null {
  return /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
    admin = broker.rest
    await admin.post('/admin/api/clients', { deviseId: 'dev', password: 'sesame' })
  })

  const list = async (query: string): Promise<Item[]> =>
    (await admin.get(`${MESSAGES}?${query}`)).body as Item[]
  const ids = async (query: string): Promise<number[]> => (await list(query)).map(({ id }) => id)
  const detail = async (id: number): Promise<Record<string, unknown>> =>
    (await admin.get(`${MESSAGES}/${id}`)).body as Record<string, unknown>

  test('list messages: an item → the documented fields, data byte for byte', async () => {
    const from = Date.now()
    const data = '{"big":12345678901234567890, "one":1.0,"ä":"\\u00e4"}'
    const certificate = '"messageBirthCertificate":{"tmpId":17,"producerDeviseId":"app"}'
    await broker.request(
      'item',
      `{"command":"go","data":${data},"believerGuarantee":"ONLY_LAST",${certificate}}`,
    )
    const answer = await admin.get(`${MESSAGES}?deviseId=item`)
    const [{ id, createdDate }] = answer.body as [Item]
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.text).toBe(
      `[{"id":${id},"deviseId":"item","command":"go","deliveryStatus":"NOT_DELIVERED","deliveryGuarantee":"ONLY_LAST",` +
        `"createdDate":${createdDate},"deliveredDate":null,"tmpId":17,"producerDeviseId":"app","deliveredError":false,` +
        `"data":${data}}]`,
    )
    expect(createdDate).toBeGreaterThanOrEqual(from)
    expect(createdDate).toBeLessThanOrEqual(Date.now())
    await broker.acknowledge('item', { id })
    expect((await list('deviseId=item'))[0]).toMatchObject({
      deliveryStatus: 'DELIVERED',
      deliveredDate: expect.any(Number),
    })
  })

  test('resend: a message → a new one with the same data, the caller is its sender; unknown id → 404', async () => {
    const data = '{"speed":1.0,"big":12345678901234567890}'
    const certificate = '"messageBirthCertificate":{"tmpId":17,"producerDeviseId":"app"}'
    const { body } = await broker.request(
      'again',
      `{"command":"go","data":${data},"believerGuarantee":"NO",${certificate}}`,
    )
    const { id: first } = body as { id: number }
    await broker.next('again')
    const answer = await admin.post(`${MESSAGES}/${first}/resend`, '')
    const { id } = answer.body as { id: number }
    expect(answer.body).toEqual({ id, tmpId: null, deliveryStatus: 'NOT_DELIVERED' })
    expect(id).toBeGreaterThan(first)
    const { text } = await admin.get(`${MESSAGES}/${id}`)
    expect(text).toContain(`"data":${data}`)
    expect(await detail(id)).toMatchObject({
      deviseId: 'again',
      command: 'go',
      deliveryGuarantee: 'NO',
      tmpId: null,
      producerDeviseId: null,
      senderDeviseId: 'admin',
    })
    expect((await admin.post(`${MESSAGES}/999999/resend`, '')).status).toBe(404)
  })

  test('resend: a message that is still pending → 409 and no second one; with force → 200', async () => {
    const id = await broker.send('impatient', { command: 'go' })
    const resend = (query = '', body: unknown = '') =>
      admin.post(`${MESSAGES}/${id}/resend${query}`, body as object)
    const refused = {
      status: 409,
      body: {
        error: 'Conflict',
        message: `Message ${id} is still pending, and sending it again would make a second one. Set force to true to send it anyway.`,
      },
    }
    for (const body of ['', {}, { force: false }]) expect(await resend('', body)).toMatchObject(refused)
    expect(await resend('?force=false')).toMatchObject(refused)
    expect((await resend('', { force: 'yes' })).status).toBe(400)
    expect(await broker.next('impatient')).toBe(id)
    expect(await resend()).toMatchObject(refused)
    expect(await ids('deviseId=impatient')).toEqual([id])
    const forced = [await resend('', { force: true }), await resend('?force=true')]
    expect(forced.map(({ status }) => status)).toEqual([200, 200])
    await broker.acknowledge('impatient', { id })
    expect((await resend()).status).toBe(200)
    expect(await ids('deviseId=impatient')).toHaveLength(4)
  })

  test('list messages: of every device, or of one → newest first', async () => {
    const [a, b, c] = [
      await broker.send('order 1', { command: 'x' }),
      await broker.send('order 2', { command: 'x' }),
      await broker.send('order 1', { command: 'y' }),
    ]
    expect((await ids('')).slice(0, 3)).toEqual([c, b, a])
    expect(await ids('deviseId=order%201')).toEqual([c, a])
    expect(await ids('deviseId=unknown')).toEqual([])
  })

  test('list messages: filters by device, status and command, alone and combined → the matching messages', async () => {
    const device = 'filtered'
    const made: number[] = []
    for (let i = 0; i < 6; i++)
      made.push(await broker.send(device, { command: i % 2 === 0 ? 'even' : 'odd' }))
    const [done, failed, delivered, taken] = made as [number, number, number, number]
    await broker.acknowledge(device, { id: done, deliveryStatus: 'COMPLETED' })
    await broker.acknowledge(device, { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    await broker.acknowledge(device, { id: delivered })
    await admin.post(`${MESSAGES}/${taken}/cancel`, {})
    const q = `deviseId=${device}&`
    expect(await ids(`${q}status=COMPLETED`)).toEqual([done])
    expect(await ids(`${q}status=NOT_DELIVERED`)).toEqual(made.slice(4).toReversed())
    expect(await ids(`${q}command=odd`)).toEqual([made[5], taken, failed])
    expect(await ids(`${q}command=odd&status=CANCELLED`)).toEqual([taken])
    expect((await ids('status=COMPLETED_WITH_ERROR'))[0]).toBe(failed)
    expect((await ids('status=CANCELLED'))[0]).toBe(taken)
    expect((await ids('status=DELIVERED'))[0]).toBe(delivered)
    expect((await ids('status=NOT_DELIVERED&command=even'))[0]).toBe(made[4])
    expect(await ids('status=UNKNOWN')).toEqual([])
    expect(await ids('command=never%20sent')).toEqual([])
    expect(await ids(`${q}senderDeviseId=admin&command=odd`)).toEqual([made[5], taken, failed])
    expect(await ids('senderDeviseId=dev')).toEqual([])
  })

  test('list messages: empty filters → not given', async () => {
    await broker.send('any', { command: 'x' })
    expect(await ids('deviseId=&status=&command=&from=&to=&before=&limit=')).toEqual(await ids(''))
  })

  test('list messages: from and to → from is inclusive, to is exclusive', async () => {
    const first = await broker.send('timed', { command: 'x' })
    const [{ createdDate }] = (await list('deviseId=timed')) as [Item]
    while (Date.now() <= createdDate) await broker.next('another device')
    const second = await broker.send('timed', { command: 'x' })
    const [{ createdDate: later }] = (await list('deviseId=timed')) as [Item]
    const q = 'deviseId=timed&'
    expect(await ids(`${q}from=${createdDate}`)).toEqual([second, first])
    expect(await ids(`${q}from=${createdDate + 1}`)).toEqual([second])
    expect(await ids(`${q}to=${later}`)).toEqual([first])
    expect(await ids(`${q}from=${createdDate}&to=${createdDate + 1}`)).toEqual([first])
    expect(await ids(`${q}from=${later + 1}`)).toEqual([])
    expect(await ids(`${q}from=${later}&to=${createdDate}`)).toEqual([])
    expect(await ids(`from=0&to=1`)).toEqual([])
  })

  test('list messages: limit=3 of 7 → the Link header leads to each page', async () => {
    const made: number[] = []
    for (let i = 0; i < 7; i++) made.push(await broker.send('paged', { command: 'a&b' }))
    const found: number[] = []
    const sizes: number[] = []
    let next: string | null = `${MESSAGES}?deviseId=paged&command=a%26b&limit=3`
    while (next !== null) {
      const { body, headers } = await admin.get(next)
      found.push(...(body as Item[]).map(({ id }) => id))
      sizes.push((body as Item[]).length)
      next = nextOf(headers)
    }
    expect(found).toEqual(made.toReversed())
    expect(sizes).toEqual([3, 3, 1])
  })

  test('list messages: limit → 200 by default, 500 at most', async () => {
    const sending = Array.from({ length: 510 }, () => broker.send('many', { command: 'x' }))
    await Promise.all(sending)
    expect(await list('deviseId=many')).toHaveLength(200)
    expect(await list('deviseId=many&limit=500')).toHaveLength(500)
    const { body, headers } = await admin.get(`${MESSAGES}?deviseId=many&limit=100000`)
    expect(body).toHaveLength(500)
    expect(await ids(nextOf(headers)?.split('?')[1] as string)).toHaveLength(10)
    expect(await ids('limit=1')).toHaveLength(1)
  })

  test.each([
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit',
    'before=0',
    'before=x',
    'status=LOST',
    'status=NOT_DELIVERED&status=DELIVERED',
    'from=yesterday',
    'to=-1',
    'deviseId',
    'command',
  ])('list messages: %s → 400 that names the parameter', async (query) => {
    const { status, body } = await admin.get(`${MESSAGES}?${query}`)
    expect([status, body]).toEqual([
      400,
      { error: 'Bad Request', message: expect.stringContaining(`"${query.split('=')[0]}"`) },
    ])
  })

  describe('get a message', () => {
    test('polled, acknowledged twice → its history and one attempt', async () => {
      const device = await logIn(broker.server.url, 'dev', 'sesame')
      const id = await broker.send('dev', { command: 'go', data: { a: 1 } })
      await device.get('/consumer/getLastMessage/dev')
      await device.get('/consumer/getLastMessage/dev')
      await device.post('/consumer/request/dev', { id })
      await broker.acknowledge('dev', { id, deliveryStatus: 'COMPLETED' })
      const { history, attempts, ...message } = await detail(id)
      expect(message).toMatchObject({
        id,
        deviseId: 'dev',
        deliveryStatus: 'COMPLETED',
        senderDeviseId: 'admin',
        data: { a: 1 },
        waits: null,
      })
      expect(history).toEqual([
        change('NOT_DELIVERED', 'STORED', 'admin'),
        change('DELIVERED', 'ACKNOWLEDGED', 'dev'),
        change('COMPLETED', 'ACKNOWLEDGED', 'admin'),
      ])
      const dates = (history as { date: number }[]).map(({ date }) => date)
      expect(dates).toEqual(dates.toSorted((a, b) => a - b))
      expect([dates[0], dates[1]]).toEqual([message.createdDate, message.deliveredDate])
      expect(attempts).toEqual([{ date: expect.any(Number), transport: 'REST', outcome: 'ACKNOWLEDGED' }])
    })

    test('acknowledged as COMPLETED_WITH_ERROR first → no DELIVERED in its history', async () => {
      const id = await broker.send('quick', { command: 'go' })
      await broker.acknowledge('quick', { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
      const { history, attempts } = await detail(id)
      expect(history).toEqual([
        change('NOT_DELIVERED', 'STORED', 'admin'),
        change('COMPLETED_WITH_ERROR', 'ACKNOWLEDGED', 'admin'),
      ])
      expect(attempts).toEqual([])
    })

    test('guarantee NO, polled → DELIVERED, one attempt SENT', async () => {
      const id = await broker.send('no', { command: 'go', believerGuarantee: 'NO' })
      expect((await detail(id)).attempts).toEqual([])
      await broker.next('no')
      const { history, attempts } = await detail(id)
      expect(history).toEqual([
        change('NOT_DELIVERED', 'STORED', 'admin'),
        change('DELIVERED', 'HANDED_OVER', null),
      ])
      expect(attempts).toEqual([{ date: expect.any(Number), transport: 'REST', outcome: 'SENT' }])
    })

    test('superseded by an ONLY_LAST message → CANCELLED, with the id of that message', async () => {
      const id = await broker.send('last', { command: 'go' })
      const messageId = await broker.send('last', { command: 'go', believerGuarantee: 'ONLY_LAST' })
      expect((await detail(id)).history).toEqual([
        change('NOT_DELIVERED', 'STORED', 'admin'),
        { ...change('CANCELLED', 'SUPERSEDED', null), messageId },
      ])
    })

    test('pending → the reason: device away, behind another message, awaiting acknowledgement', async () => {
      const [first, second] = [
        await broker.send('slow', { command: 'go' }),
        await broker.send('slow', { command: 'go' }),
      ]
      const waits = async (id: number) => (await detail(id)).waits
      expect(await waits(first)).toEqual({ reason: 'DEVICE_AWAY', messageId: null, until: null })
      expect(await waits(second)).toEqual({ reason: 'BEHIND', messageId: first, until: null })
      await broker.next('slow')
      expect(await waits(first)).toEqual({ reason: 'ACKNOWLEDGEMENT', messageId: null, until: null })
      expect((await detail(first)).attempts).toMatchObject([{ transport: 'REST', outcome: 'OPEN' }])
      await broker.acknowledge('slow', { id: first })
      expect(await waits(second)).toEqual({ reason: 'DEVICE_AWAY', messageId: null, until: null })
    })

    test('unknown id → 404; invalid id → 400', async () => {
      expect(await admin.get(`${MESSAGES}/4711000`)).toMatchObject({
        status: 404,
        body: { error: 'Not Found', message: 'There is no message 4711000.' },
      })
      expect((await admin.get(`${MESSAGES}/x`)).status).toBe(400)
    })
  })

  describe('cancel a message', () => {
    const cancel = (id: number) => admin.post(`${MESSAGES}/${id}/cancel`, {})

    test('a pending message → it leaves the queue and stays CANCELLED', async () => {
      const id = await broker.send('taken', { command: 'go' })
      const next = await broker.send('taken', { command: 'go' })
      const answer = await cancel(id)
      expect([answer.status, answer.text]).toEqual([200, '{"deliveryStatus":"CANCELLED"}'])
      expect((await cancel(id)).status).toBe(200)
      expect(await broker.status(id)).toBe('CANCELLED')
      expect(await broker.next('taken')).toBe(next)
      expect((await detail(id)).history).toEqual([
        change('NOT_DELIVERED', 'STORED', 'admin'),
        change('CANCELLED', 'CANCELLED', 'admin'),
      ])
      expect((await broker.acknowledge('taken', { id, deliveryStatus: 'COMPLETED' })).status).toBe(409)
    })

    test('a message in flight → 409, it stays in flight', async () => {
      const id = await broker.send('got', { command: 'go' })
      await broker.next('got')
      const refused = {
        status: 409,
        body: {
          error: 'Conflict',
          message: `Message ${id} was dispatched already. Only a message that was never dispatched can be cancelled.`,
          deliveryStatus: 'NOT_DELIVERED',
        },
      }
      expect(await cancel(id)).toMatchObject(refused)
      expect(await broker.next('got')).toBe(id)
      await broker.acknowledge('got', { id, deliveryStatus: 'COMPLETED' })
      expect(await cancel(id)).toMatchObject({ status: 409, body: { deliveryStatus: 'COMPLETED' } })
    })

    test('guarantee NO → 200 before its dispatch, 409 after it', async () => {
      const no = { command: 'go', believerGuarantee: 'NO' }
      const [kept, taken] = [await broker.send('radio', no), await broker.send('radio', no)]
      expect(await broker.next('radio')).toBe(kept)
      expect((await cancel(kept)).status).toBe(409)
      expect((await cancel(taken)).status).toBe(200)
      expect(await broker.next('radio')).toBe(null)
    })

    test('a poll at the same time → exactly one of them wins', async () => {
      for (let i = 0; i < 20; i++) {
        const id = await broker.send('race', { command: 'go' })
        const [got, { status }] = await Promise.all([broker.next('race'), cancel(id)])
        expect([got, status]).toEqual(status === 200 ? [null, 200] : [id, 409])
        if (got !== null) await broker.acknowledge('race', { id })
      }
    })

    test('a full queue → accepts one more message', async () => {
      const full = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
      const id = await full.send('lamp', { command: 'on' })
      expect((await full.request('lamp', { command: 'off' })).status).toBe(429)
      await full.rest.post(`${MESSAGES}/${id}/cancel`, {})
      expect((await full.request('lamp', { command: 'off' })).status).toBe(200)
    })

    test('unknown id → 404; GET → 405', async () => {
      expect((await cancel(4711000)).status).toBe(404)
      expect((await admin.get(`${MESSAGES}/1/cancel`)).status).toBe(405)
    })
  })

  test.each([
    ['a crash', false],
    ['an orderly stop', true],
  ])(
    'restart: after %s → the history is unchanged, a dispatched message stays dispatched',
    async (_, orderly) => {
      const first = await BrokerUnderTest.start()
      const polled = await first.send('lamp', { command: 'on' })
      await first.next('lamp')
      if (!orderly) await pollOnDisk(first)
      const before = (await first.rest.get(`${MESSAGES}/${polled}`)).body
      if (orderly) await first.server.kill()
      const second = await BrokerUnderTest.start({ dataDir: orderly ? first.dataDir : first.leftBehind() })
      expect((await second.rest.get(`${MESSAGES}/${polled}`)).body).toEqual(before)
      expect((await second.rest.post(`${MESSAGES}/${polled}/cancel`, {})).status).toBe(409)
    },
  )
})

test('message: its attempt is over and the next one begins with a poll → `waits` for the device', async () => {
  const broker = await BrokerUnderTest.start({ env: { COMMON_MQTT_WAIT_RESPONSE_TIMEOUT: '50' } })
  const id = await broker.send('lift', { command: 'up' })
  expect(await broker.next('lift')).toBe(id)
  const waits = async () =>
    ((await broker.rest.get(`/admin/api/messages/${id}?details=true`)).body as { waits: object }).waits
  await expect.poll(waits).toEqual({ reason: 'DEVICE_AWAY', messageId: null })
})

/** Waits until the dispatch of a message by a poll is on disk: the poll itself does not wait for that. */
async function pollOnDisk({ dataDir }: BrokerUnderTest): Promise<void> {
  const sql = 'SELECT id FROM messages WHERE polled_at_ms IS NOT NULL'
  await eventually(() => expect(rowsOf(databaseIn(dataDir), sql)).toHaveLength(1))
}

function change(deliveryStatus: string, cause: string, deviseId: string | null) {
  return { date: expect.any(Number), deliveryStatus, cause, deviseId, messageId: null }
}
