/** Tests idempotency keys over REST: repeated submits store nothing, and have the first result. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { PASSWORD, withClients } from '../_support/clients.ts'
import { tokenOf } from '../_support/rest.ts'

interface Submit {
  readonly status: number
  readonly replayed: string | null
  readonly text: string
  readonly id: number
}

/** Sends a request with an Idempotency-Key; null: without one. */
async function submit(
  broker: BrokerUnderTest,
  path: string,
  body: object | string,
  key: string | null,
  { method = 'PUT', token = broker.token } = {},
): Promise<Submit> {
  const response = await fetch(broker.server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(key !== null && { 'idempotency-key': key }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const { id } = JSON.parse(text) as { id: number }
  return { status: response.status, replayed: response.headers.get('idempotency-replayed'), text, id }
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({ dataDir: await withClients('shop') })
  })

  const put = (deviceId: string, body: object | string, key: string | null) =>
    submit(broker, `/producer/request/${deviceId}`, body, key)
  const pending = async (deviceId: string): Promise<number[]> => {
    const { body } = await broker.rest.get(`/admin/api/messages?deviseId=${deviceId}`)
    return (body as { id: number }[]).map(({ id }) => id)
  }

  test('same key and content → the same id and tmpId, the present status, a header', async () => {
    const body = { command: 'go', messageBirthCertificate: { tmpId: 5 } }
    const first = await put('same', body, 'k-1')
    expect([first.status, first.replayed]).toEqual([200, null])
    await broker.acknowledge('same', { id: first.id, deliveryStatus: 'COMPLETED' })
    for (const again of [
      await put('same', body, '"k-1"'),
      await put('same', { ...body, idempotencyKey: 'k-1' }, null),
    ]) {
      expect([again.status, again.replayed, again.text]).toEqual([
        ...[200, 'true', `{"id":${first.id},"tmpId":5,"deliveryStatus":"COMPLETED"}`],
      ])
    }
    expect(await pending('same')).toEqual([first.id])
    const { body: detail } = await broker.rest.get(`/admin/api/messages/${first.id}?details=true`)
    expect(detail).toMatchObject({ idempotencyKey: 'k-1', repeats: 2 })
  })

  test('same key, other content → 422, nothing is stored', async () => {
    const { id } = await put('other', { command: 'go' }, 'k-2')
    const refused = await put('other', { command: 'stop' }, 'k-2')
    expect(refused.status).toBe(422)
    expect(JSON.parse(refused.text)).toMatchObject({ error: 'Unprocessable Entity' })
    expect(await pending('other')).toEqual([id])
  })

  test('100 submits at once → one message', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => put('crowd', { command: 'go' }, 'k-3')),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    expect(await pending('crowd')).toHaveLength(1)
  })

  test('another client → another scope', async () => {
    const { id } = await put('scope', { command: 'go' }, 'k-4')
    const token = await tokenOf(broker.server.url, 'shop', PASSWORD)
    const foreign = await submit(broker, '/producer/request/scope', { command: 'go' }, 'k-4', { token })
    expect([foreign.status, foreign.replayed, foreign.id > id]).toEqual([200, null, true])
  })

  test('ONLY_LAST repeated → it cancels the earlier message once', async () => {
    const only = { command: 'turn', believerGuarantee: 'ONLY_LAST' }
    const [first] = [await put('last', only, null), await put('last', only, 'k-5')]
    const third = await put('last', only, 'k-6')
    const again = await put('last', only, 'k-5')
    expect([again.replayed, again.text]).toEqual(['true', expect.stringContaining('CANCELLED')])
    expect(await broker.next('last')).toBe(third.id)
    expect(await broker.status(first.id)).toBe('CANCELLED')
  })

  test('replaces repeated → it cancels the earlier message once, also after the new one was dispatched', async () => {
    const old = await put('swap', { command: 'go' }, null)
    const body = { command: 'stop', replaces: old.id }
    const first = await put('swap', body, 'k-10')
    expect(await broker.next('swap')).toBe(first.id)
    const again = await put('swap', body, 'k-10')
    expect([again.status, again.replayed, again.id]).toEqual([200, 'true', first.id])
    expect(await broker.status(old.id)).toBe('CANCELLED')
  })

  test('a refused submit → its key is free', async () => {
    await broker.rest.put('/admin/api/devices/free', { queueLimit: 1 })
    const { id } = await put('free', { command: 'go' }, null)
    expect((await put('free', { command: 'stop' }, 'k-7')).status).toBe(429)
    await broker.acknowledge('free', { id, deliveryStatus: 'COMPLETED' })
    expect(await put('free', { command: 'other' }, 'k-7')).toMatchObject({ status: 200, replayed: null })
  })

  test('a full queue with details → 429 with its numbers', async () => {
    await broker.rest.put('/admin/api/devices/numbers', { queueLimit: 1, queueBytes: 100 })
    await put('numbers', { command: 'go', data: { a: 1 } }, null)
    const refused = await submit(broker, '/producer/request/numbers?details=true', { command: 'go' }, null)
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      429,
      {
        ...{ error: 'Too Many Requests', message: expect.any(String) },
        ...{ waiting: 1, limit: 1, bytes: 'go{"a":1}'.length, limitBytes: 100 },
      },
    ])
    expect(Object.keys(JSON.parse((await put('numbers', { command: 'go' }, null)).text))).toEqual([
      ...['error', 'message'],
    ])
  })

  test('header and field differ, or a key that is not valid → 400', async () => {
    const refused = [
      await put('bad', { command: 'go', idempotencyKey: 'a' }, 'b'),
      await put('bad', { command: 'go', idempotencyKey: '' }, null),
      await put('bad', { command: 'go' }, 'a b'),
      await put('bad', { command: 'go' }, 'k'.repeat(65)),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(await pending('bad')).toEqual([])
  })

  test('resend and send of a template → repeated with the same key', async () => {
    const { id } = await put('boiler', { command: 'go' }, null)
    await broker.acknowledge('boiler', { id, deliveryStatus: 'COMPLETED' })
    const { body } = await broker.rest.post('/admin/api/clients', { deviseId: 'boiler', password: 'x' })
    const template = await broker.rest.post('/admin/api/saved-messages', {
      ...{ clientId: (body as { id: number }).id, command: 'heat' },
    })
    const { id: templateId } = template.body as { id: number }
    const paths = [`/admin/api/messages/${id}/resend`, `/admin/api/saved-messages/${templateId}/send`]
    for (const [i, path] of paths.entries()) {
      const first = await submit(broker, path, {}, `k-8-${i}`, { method: 'POST' })
      const again = await submit(broker, path, {}, `k-8-${i}`, { method: 'POST' })
      expect([first.status, first.replayed, again.replayed, again.id]).toEqual([200, null, 'true', first.id])
      const other = paths[1 - i] as string
      expect((await submit(broker, other, {}, `k-8-${i}`, { method: 'POST' })).status).toBe(422)
    }
  })

  test('restart → the key is still known', async () => {
    const first = await BrokerUnderTest.start()
    const { id } = await submit(first, '/producer/request/pump', { command: 'go' }, 'k-9')
    await first.server.kill()
    const second = await BrokerUnderTest.start({ dataDir: first.dataDir })
    const again = await submit(second, '/producer/request/pump', { command: 'go' }, 'k-9')
    expect([again.replayed, again.id]).toEqual(['true', id])
  })
})

test('access checks are off → all clients share their keys, with a token or without', async () => {
  const env = { APP_SECURITY_PERMIT_ALL: 'true' }
  const broker = await BrokerUnderTest.start({ dataDir: await withClients('shop'), env })
  const tokens = [broker.token, await tokenOf(broker.server.url, 'shop', PASSWORD), 'none']
  const [first, ...again] = await Promise.all(
    tokens.map((token) => submit(broker, '/producer/request/pump', { command: 'go' }, 'k', { token })),
  )
  expect(again.map(({ id }) => id)).toEqual([first?.id, first?.id])
})

test('WAYBILL_IDEMPOTENCY_HOURS 0 → keys are ignored', async () => {
  const broker = await BrokerUnderTest.start({ env: { WAYBILL_IDEMPOTENCY_HOURS: '0' } })
  const path = '/producer/request/pump'
  const [first, again] = [
    await submit(broker, path, { command: 'go' }, 'k'),
    await submit(broker, path, { command: 'go' }, 'k'),
  ]
  expect([again.replayed, again.id > first.id]).toEqual([null, true])
})
