/** Exports of messages: CSV, lines of JSON, conditions. */
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { tokenOf } from '../_support/rest.ts'

const EXPORT = '/admin/api/messages/export'
const DATA = '{"big":12345678901234567890,"one":1.0,"text":"a, \\"b\\""}'

describe(`export of messages over ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let first: number
  let second: number

  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ env: { WAYBILL_BODY_LIMIT: '2000000' } })
    const certificate = '"messageBirthCertificate":{"tmpId":17,"producerDeviseId":"app"}'
    const { body } = await broker.request('=pump', `{"command":"go","data":${DATA},${certificate}}`)
    first = (body as { id: number }).id
    await broker.acknowledge('=pump', { id: first, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    second = await broker.send('лампа', { command: 'on' })
  })

  const download = (query: string, token = broker.token, signal?: AbortSignal): Promise<Response> =>
    fetch(`${broker.server.url}${EXPORT}?${query}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    })

  test('csv → the members of the list, three more, times in ISO 8601, no formulas', async () => {
    const response = await download('format=csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="waybill-messages-[-\dT]+Z\.csv"$/,
    )
    const rows = parse(await response.text(), { columns: true }) as Record<string, string>[]
    expect(rows).toHaveLength(2)
    expect(Object.keys(rows[0] ?? {})).toEqual([
      ...['id', 'deviseId', 'command', 'deliveryStatus', 'deliveryGuarantee', 'createdDate', 'deliveredDate'],
      ...['tmpId', 'producerDeviseId', 'deliveredError', 'data', 'cause', 'senderDeviseId', 'attempts'],
    ])
    expect(rows[0]).toMatchObject({
      id: String(second),
      deviseId: 'лампа',
      deliveredDate: '',
      cause: 'STORED',
    })
    expect(rows[1]).toMatchObject({
      ...{ id: String(first), deviseId: `'=pump`, command: 'go', deliveryStatus: 'COMPLETED_WITH_ERROR' },
      ...{ createdDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), tmpId: '17', attempts: '0' },
      ...{ producerDeviseId: 'app', deliveredError: 'false', data: DATA, cause: 'ACKNOWLEDGED' },
      senderDeviseId: 'admin',
    })
  })

  test('jsonl → the items of the list with details, data byte for byte', async () => {
    const response = await download('format=jsonl')
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    const lines = (await response.text()).split('\n')
    const list = await broker.rest.get('/admin/api/messages?details=true')
    expect(`[${lines.filter((line) => line !== '').join(',')}]`).toBe(list.text)
    expect(lines[1]).toContain(`"data":${DATA},`)
  })

  test('conditions → only these messages; none → the names of the columns alone', async () => {
    expect(await (await download('format=jsonl&outcome=FAILED&search=PUMP')).text()).toMatch(
      new RegExp(`^\\{"id":${first},.*\\}\n$`),
    )
    expect(await (await download('format=csv&text=never')).text()).toMatch(/^id,.*,attempts\r\n$/)
    expect(await (await download('format=jsonl&text=never')).text()).toBe('')
    expect(await (await download(`format=jsonl&id=${first}&id=999`)).text()).toMatch(
      /^\{"id":\d+,[^\n]*\}\n$/,
    )
    expect((await download('format=xml')).status).toBe(400)
    expect((await download('')).status).toBe(400)
  })

  test('HEAD → the headers; READER → the same file; device → 403', async () => {
    const head = await broker.rest.head(`${EXPORT}?format=csv`)
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    for (const [deviseId, role] of [
      ['eye', 'READER'],
      ['dev', 'DEVISE'],
    ])
      await broker.rest.post('/admin/api/clients', { deviseId, role, password: 'sesame' })
    const tokens = await Promise.all(
      ['eye', 'dev'].map((deviseId) => tokenOf(broker.server.url, deviseId, 'sesame')),
    )
    const [reader, device] = await Promise.all(tokens.map((token) => download('format=jsonl', token)))
    expect(await reader?.text()).toBe(await (await download('format=jsonl')).text())
    expect(device?.status).toBe(403)
  })
})
