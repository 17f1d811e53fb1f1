/** Tests /admin/api/messages/send, one command for several devices, and templates for any device. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import type { Rest } from '../_support/rest.ts'

const SEND = '/admin/api/messages/send'
const TEMPLATES = '/admin/api/saved-messages'

interface Line {
  readonly deviseId: string
  readonly id: number | null
  readonly code: string | null
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ env: { WAYBILL_QUEUE_LIMIT: '2' } })
    admin = broker.rest
  })

  const deviceIds = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`)
  const createTemplate = async (template: object): Promise<number> =>
    ((await admin.post(TEMPLATES, { command: 'go', details: true, ...template })).body as { id: number }).id

  test('send to devices: 10 ids, one of them twice → a message for each, in their order, data byte for byte', async () => {
    const devices = deviceIds('lamp', 10)
    const body = JSON.stringify({ deviceIds: [...devices, 'lamp-0'], command: 'dim', validSeconds: 60 })

    const answer = await admin.post(SEND, body.replace(/}$/, ',"data":{"to":1.0,"n":12345678901234567890}}'))

    const lines = answer.body as Line[]
    expect(lines.map(({ deviseId }) => deviseId)).toEqual(devices)
    expect(lines.every(({ id, code }) => id !== null && code === null)).toBe(true)
    const { text } = await broker.poll('lamp-9')
    expect(text).toContain(
      '"believerGuarantee":"RECEIPT_CONFIRMATION","data":{"to":1.0,"n":12345678901234567890}',
    )
    const { body: stored } = await admin.get(`/admin/api/messages/${lines[0]?.id}?details=true`)
    expect(stored).toMatchObject({ senderDeviseId: 'admin', terms: { validSeconds: 60 } })
  })

  test('send to devices: one queue is full → its line has the code, the others are stored', async () => {
    for (let i = 0; i < 2; i++) await broker.send('full-1', { command: 'go' })

    const answer = await admin.post(SEND, { deviceIds: deviceIds('full', 3), command: 'go' })

    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual([
      { deviseId: 'full-0', id: expect.any(Number), code: null, params: {} },
      { deviseId: 'full-1', id: null, code: 'queue-full', params: { waiting: 2, limit: 2 } },
      { deviseId: 'full-2', id: expect.any(Number), code: null, params: {} },
    ])
  })

  test('send to devices: the same key again, with one device more → only that one is stored', async () => {
    const send = (count: number, command = 'go') =>
      admin.post(SEND, { deviceIds: deviceIds('keyed', count), command, idempotencyKey: 'k-1' })
    const first = (await send(2)).body as Line[]

    const second = (await send(3)).body as Line[]

    expect(second.slice(0, 2)).toEqual(first)
    const list = await admin.get('/admin/api/messages?search=keyed-')
    expect((list.body as unknown[]).length).toBe(3)
    expect((await send(3, 'stop')).status).toBe(422)
  })

  test('send to devices: one line of the audit trail, with the number of devices and of refused ones', async () => {
    for (let i = 0; i < 2; i++) await broker.send('audited-1', { command: 'go' })
    await admin.post(SEND, { deviceIds: deviceIds('audited', 3), command: 'go' })

    const { body } = await admin.get('/admin/api/audit?action=message.send')
    const [last, ...earlier] = body as { detail: object }[]
    expect(earlier.filter(({ detail }) => 'refused' in detail)).toHaveLength(1)
    expect(last).toMatchObject({
      ...{ action: 'message.send', object: null, deviseId: 'admin' },
      detail: { command: 'go', deliveryGuarantee: 'RECEIPT_CONFIRMATION', devices: 3, refused: 1 },
    })
  })

  test.each([
    [{ command: 'go' }],
    [{ deviceIds: [], command: 'go' }],
    [{ deviceIds: Array.from({ length: 501 }, String), command: 'go' }],
    [{ deviceIds: ['a', ''], command: 'go' }],
    [{ deviceIds: ['a'] }],
    [{ deviceIds: ['a'], command: 'go', delaySeconds: 9, validSeconds: 3 }],
  ])('send to devices: wrong input → 400, nothing is stored', async (body) => {
    expect((await admin.post(SEND, body)).status).toBe(400)
    expect(await broker.next('a')).toBeNull()
  })

  test('template for any device: created → listed with details only, sent to devices', async () => {
    const id = await createTemplate({ clientId: null, description: 'Night mode', data: { speed: 0.3 } })

    const listed = (await admin.get(`${TEMPLATES}?details=true`)).body as object[]
    expect(listed[0]).toMatchObject({ id, clientId: null, deviseId: null, description: 'Night mode' })
    expect((await admin.get(TEMPLATES)).body).toEqual([])

    const sent = await admin.post(`${TEMPLATES}/${id}/sendToDevices`, { deviceIds: ['night-1', 'night-2'] })
    expect(sent.body).toMatchObject([{ deviseId: 'night-1' }, { deviseId: 'night-2' }])
    expect((await broker.poll('night-2')).text).toContain('"data":{"speed":0.3}')
    expect(await admin.post(`${TEMPLATES}/${id}/send`, '')).toMatchObject({ status: 400 })
  })

  test('template of a device: sent to other devices → 404', async () => {
    const { body } = await admin.post('/admin/api/clients', { deviseId: 'owner', password: 'x' })
    const id = await createTemplate({ clientId: (body as { id: number }).id })

    expect((await admin.post(`${TEMPLATES}/${id}/sendToDevices`, { deviceIds: ['thief'] })).status).toBe(404)
    expect(await broker.next('thief')).toBeNull()
  })

  test('replace a template: all fields, also its device → as given, one line; unknown → 404', async () => {
    const id = await createTemplate({ clientId: null })
    const { body } = await admin.post('/admin/api/clients', { deviseId: 'new-owner', password: 'x' })
    const { id: clientId } = body as { id: number }
    const content = { clientId, description: 'changed', command: 'stop', deliveryGuarantee: 'ONLY_LAST' }

    const answer = await admin.put(`${TEMPLATES}/${id}`, { ...content, maxAttempts: 3, details: true })

    expect(answer.body).toMatchObject({ id, ...content, deviseId: 'new-owner', maxAttempts: 3, data: {} })
    expect((await admin.get(`${TEMPLATES}/${id}?details=true`)).body).toEqual(answer.body)
    expect((await admin.get('/admin/api/audit?limit=1')).body).toMatchObject([
      { action: 'template.change', object: String(id), detail: { deviseId: 'new-owner', command: 'stop' } },
    ])
    expect((await admin.put(`${TEMPLATES}/4711`, content)).status).toBe(404)
    expect((await admin.put(`${TEMPLATES}/${id}`, { ...content, clientId: 4711 })).status).toBe(404)
    expect((await admin.put(`${TEMPLATES}/${id}`, { ...content, command: '' })).status).toBe(400)
  })
})
