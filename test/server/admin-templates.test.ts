/** Tests /admin/api/saved-messages, the templates of messages. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import type { Rest } from '../_support/rest.ts'

const TEMPLATES = '/admin/api/saved-messages'

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start()
    admin = broker.rest
  })

  const createClient = async (deviseId: string, role = 'DEVISE'): Promise<number> => {
    const { body } = await admin.post('/admin/api/clients', { deviseId, password: 'x', role })
    return (body as { id: number }).id
  }
  const createTemplate = async (template: object): Promise<number> => {
    const { body, status, text } = await admin.post(TEMPLATES, { command: 'start', ...template })
    if (status !== 201) throw new Error(`not created: ${status} ${text}`)
    return (body as { id: number }).id
  }
  const ids = async (query: string): Promise<number[]> =>
    ((await admin.get(`${TEMPLATES}${query}`)).body as { id: number }[]).map(({ id }) => id)

  test('create a template: valid fields → 201, a Location, the record, data byte for byte', async () => {
    const clientId = await createClient('pump')
    const data = '{"big":12345678901234567890, "one":1.0,"ä":"\\u00e4"}'
    const answer = await admin.post(
      TEMPLATES,
      `{"clientId":${clientId},"description":"the usual","command":"start","deliveryGuarantee":"ONLY_LAST","data":${data}}`,
    )
    const { id } = answer.body as { id: number }
    const text =
      `{"id":${id},"clientId":${clientId},"deviseId":"pump","description":"the usual","command":"start",` +
      `"deliveryGuarantee":"ONLY_LAST","data":${data}}`
    expect([answer.status, answer.text]).toEqual([201, text])
    expect(answer.headers.get('location')).toBe(`${TEMPLATES}/${id}`)
    expect((await admin.get(`${TEMPLATES}/${id}`)).text).toBe(text)
    expect((await admin.get(`${TEMPLATES}?clientId=${clientId}`)).text).toBe(`[${text}]`)
  })

  test('create a template: optional fields null or absent → guarantee NO, empty description, data {}', async () => {
    const clientId = await createClient('plain')
    for (const more of [{}, { description: null, deliveryGuarantee: null, data: null }]) {
      const id = await createTemplate({ clientId, ...more })
      expect((await admin.get(`${TEMPLATES}/${id}`)).body).toEqual({
        id,
        clientId,
        deviseId: 'plain',
        description: '',
        command: 'start',
        deliveryGuarantee: 'NO',
        data: {},
      })
    }
  })

  test('list templates: of all, of a client, of a device → newest first', async () => {
    const [a, b] = [await createClient('list a'), await createClient('list b')]
    const made = [
      await createTemplate({ clientId: a }),
      await createTemplate({ clientId: b }),
      await createTemplate({ clientId: a }),
    ] as const
    expect((await ids('')).slice(0, 3)).toEqual(made.toReversed())
    expect(await ids(`?clientId=${a}`)).toEqual([made[2], made[0]])
    expect(await ids('?deviseId=list%20b')).toEqual([made[1]])
    expect(await ids(`?clientId=${a}&deviseId=list%20b`)).toEqual([])
    expect(await ids('?clientId=4711')).toEqual([])
    expect(await ids('?deviseId=unknown')).toEqual([])
    expect(await ids('?clientId=&deviseId=')).toEqual(await ids(''))
    expect((await admin.get(`${TEMPLATES}?clientId=x`)).status).toBe(400)
  })

  test('create a template: unknown client → 404; client with role MAN → 400', async () => {
    expect(await admin.post(TEMPLATES, { clientId: 4711, command: 'x' })).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'There is no client 4711.' },
    })
    const manager = await createClient('manager', 'MAN')
    expect(await admin.post(TEMPLATES, { clientId: manager, command: 'x' })).toMatchObject({
      status: 400,
      body: {
        error: 'Bad Request',
        message: `Client ${manager} has role MAN: choose a client with role DEVISE.`,
      },
    })
  })

  test.each([
    [{ command: 'x' }, 'clientId'],
    [{ clientId: '1', command: 'x' }, 'clientId'],
    [{ clientId: 1 }, 'command'],
    [{ clientId: 1, command: '' }, 'command'],
    [{ clientId: 1, command: 'x', deliveryGuarantee: 'MAYBE' }, 'deliveryGuarantee'],
    [{ clientId: 1, command: 'x', description: '' }, 'description'],
    [{ clientId: 1, command: 'x', description: ' \t\u00a0' }, 'description'],
    [{ clientId: 1, command: 'x', data: [] }, 'data'],
    [{ clientId: 1, command: 'x', data: '{}' }, 'data'],
  ])('create a template: %j → 400 that names the field', async (template, name) => {
    expect(await admin.post(TEMPLATES, template)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`"${name}"`) },
    })
  })

  test('send a template: for a device → 200 with the message id, the device gets data byte for byte', async () => {
    const clientId = await createClient('target')
    const data = '{"n":1.0}'
    const { body } = await admin.post(
      TEMPLATES,
      `{"clientId":${clientId},"command":"go","deliveryGuarantee":"RECEIPT_CONFIRMATION","data":${data}}`,
    )
    const answer = await admin.post(`${TEMPLATES}/${(body as { id: number }).id}/send`, '')
    const { id } = answer.body as { id: number }
    expect([answer.status, answer.text]).toEqual([
      200,
      `{"id":${id},"tmpId":null,"deliveryStatus":"NOT_DELIVERED"}`,
    ])
    const polled = await broker.poll('target')
    expect(polled.body).toMatchObject([{ id, command: 'go', believerGuarantee: 'RECEIPT_CONFIRMATION' }])
    expect(polled.text).toContain(`"data":${data}`)
    expect((await admin.get(`/admin/api/messages/${id}`)).body).toMatchObject({
      deviseId: 'target',
      senderDeviseId: 'admin',
    })
  })

  test('send a template: another deviseId in query and body → ignored, its own device gets it', async () => {
    const template = await createTemplate({ clientId: await createClient('owner') })
    await admin.post(`${TEMPLATES}/${template}/send?deviseId=thief`, { deviseId: 'thief', deviceId: 'thief' })
    expect(await broker.next('thief')).toBe(null)
    expect(await broker.next('owner')).not.toBe(null)
  })

  test('send a template: the queue is full → 429', async () => {
    const full = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '1' } })
    await full.rest.post('/admin/api/clients', { deviseId: 'pump', password: 'x' })
    await full.rest.post(TEMPLATES, { clientId: 2, command: 'x' })
    expect((await full.rest.post(`${TEMPLATES}/1/send`, '')).status).toBe(200)
    expect((await full.rest.post(`${TEMPLATES}/1/send`, '')).status).toBe(429)
  })

  test('delete a template: it exists → 204, then 404', async () => {
    const id = await createTemplate({ clientId: await createClient('deleter') })
    expect(await admin.delete(`${TEMPLATES}/${id}`)).toMatchObject({ status: 204, text: '' })
    const unknown = { status: 404, body: { error: 'Not Found', message: `There is no template ${id}.` } }
    expect(await admin.get(`${TEMPLATES}/${id}`)).toMatchObject(unknown)
    expect(await admin.delete(`${TEMPLATES}/${id}`)).toMatchObject(unknown)
    expect(await admin.post(`${TEMPLATES}/${id}/send`, '')).toMatchObject(unknown)
  })

  test('delete a client: it has templates → they are deleted too; no id is used again after a restart', async () => {
    const first = await BrokerUnderTest.start()
    await first.rest.post('/admin/api/clients', { deviseId: 'a', password: 'x' })
    await first.rest.post('/admin/api/clients', { deviseId: 'b', password: 'x' })
    for (const clientId of [2, 3]) await first.rest.post(TEMPLATES, { clientId, command: 'x' })
    await first.rest.delete('/admin/api/clients/3')
    expect((await first.rest.get(TEMPLATES)).body).toMatchObject([{ id: 1, deviseId: 'a' }])
    await first.server.kill()
    const second = await BrokerUnderTest.start({ dataDir: first.dataDir })
    expect((await second.rest.get(TEMPLATES)).body).toMatchObject([{ id: 1, deviseId: 'a' }])
    expect((await second.rest.post(TEMPLATES, { clientId: 2, command: 'x' })).body).toMatchObject({ id: 3 })
  })
})
