/** Tests /admin/api/messages/bulk: dry run, job, report, stop, and what one line of the audit trail says. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'
import { eventually } from '../_support/eventually.ts'
import { Outage } from '../_support/outage.ts'
import { SHORT_ATTEMPTS, sendAndPark } from '../_support/parked.ts'
import { call, type Rest } from '../_support/rest.ts'

const BULK = '/admin/api/messages/bulk'

interface Report {
  readonly id: number
  readonly state: string
  readonly skipped: { code: string; count: number }[]
}

describe(`adapter ${ADAPTER}`, () => {
  let broker: BrokerUnderTest
  let admin: Rest
  const outage = new Outage()
  beforeAll(async () => {
    broker = await BrokerUnderTest.start({
      env: { ...SHORT_ATTEMPTS, WAYBILL_QUEUE_LIMIT: '20' },
      replaced: { open: outage.open },
    })
    admin = broker.rest
  })

  const plan = async (order: object) => (await admin.post(BULK, { ...order, dryRun: true })).body
  /** Runs a job to its end, and returns its report. */
  const run = async (order: object): Promise<Report> => {
    const { id } = (await admin.post(BULK, order)).body as Report
    return eventually(async () => {
      const report = (await admin.get(`${BULK}/${id}`)).body as Report
      expect(report.state).not.toBe('RUNNING')
      return report
    })
  }
  const send = async (deviceId: string, count: number): Promise<number[]> => {
    const ids: number[] = []
    for (let i = 0; i < count; i++) ids.push(await broker.send(deviceId, { command: 'go' }))
    return ids
  }
  const fail = async (deviceId: string): Promise<number> => {
    const id = await broker.send(deviceId, { command: 'go' })
    await broker.acknowledge(deviceId, { id, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    return id
  }
  const detail = async (id: number) =>
    (await admin.get(`/admin/api/messages/${id}?details=true`)).body as Record<string, unknown>

  test('bulk cancel: some pending, one dispatched, one ended → counted, then cancelled and skipped as counted', async () => {
    const [first, ...others] = (await send('kiosk', 4)) as [number, number, number, number]
    expect(await broker.next('kiosk')).toBe(first)
    const ended = await fail('kiosk-2')
    const order = { action: 'CANCEL', ids: [...others, first, ended, 999_999_999] }

    const counted = await plan(order)

    const skipped = [
      { code: 'handed-over', count: 1 },
      { code: 'not-pending', count: 1 },
      { code: 'unknown-message', count: 1 },
    ]
    expect(counted).toEqual({
      ...{ matched: 6, isExact: true, eligible: 3, handedOver: 0, upToId: 999_999_999 },
      skipped: expect.arrayContaining(skipped),
    })
    expect(await broker.status(others[0])).toBe('NOT_DELIVERED')

    const report = await run(order)

    expect(report).toMatchObject({
      ...{ action: 'CANCEL', state: 'DONE', matched: 6, left: 0, done: 6, changed: 3 },
      ...{ failed: 0, failures: [], by: 'admin' },
      ...{ startedDate: expect.any(Number), endedDate: expect.any(Number) },
      skipped: expect.arrayContaining(skipped),
    })
    for (const id of others) expect(await broker.status(id)).toBe('CANCELLED')
    expect(await broker.status(first)).toBe('NOT_DELIVERED')
  })

  test('bulk cancel: force → also what was dispatched, and the dry run says how many devices may have it', async () => {
    const ids = await send('kiosk-3', 2)
    await broker.next('kiosk-3')
    const order = { action: 'CANCEL', filter: { deviseId: 'kiosk-3' }, force: true }

    expect(await plan(order)).toEqual({
      ...{ matched: 2, isExact: true, eligible: 2, handedOver: 1, skipped: [], upToId: ids[1] },
    })
    expect(await run(order)).toMatchObject({ changed: 2, skipped: [] })
    for (const id of ids) expect(await broker.status(id)).toBe('CANCELLED')
  })

  test('bulk: a message stored after the dry run → left out by upToId', async () => {
    const [first] = await send('late', 1)
    const filter = { deviseId: 'late' }
    const { upToId } = (await plan({ action: 'CANCEL', filter })) as { upToId: number }
    const [second] = (await send('late', 1)) as [number]

    expect(await run({ action: 'CANCEL', filter, upToId })).toMatchObject({ matched: 1, changed: 1 })

    expect(upToId).toBe(first)
    expect(await broker.status(second)).toBe('NOT_DELIVERED')
  })

  test('bulk resend: failures by filter → each sent once, in their order; a second time all are skipped', async () => {
    for (let i = 0; i < 3; i++) for (const device of ['oven-1', 'oven-2']) await fail(device)
    const [pending] = await send('oven-1', 1)
    const order = { action: 'RESEND', filter: { command: 'go', deviseId: 'oven-1' } }

    expect(await run(order)).toMatchObject({ changed: 3, skipped: [{ code: 'still-pending', count: 1 }] })

    const list = await admin.get('/admin/api/messages?deviseId=oven-1&details=true')
    const [third, second, first, , ...failed] = list.body as { id: number; resentAs: number | null }[]
    expect(failed.map(({ resentAs }) => resentAs)).toEqual([third?.id, second?.id, first?.id])
    expect(pending).toBeLessThan(first?.id as number)
    expect(await plan(order)).toMatchObject({ eligible: 0, matched: 7 })
    const again = await run(order)
    expect(again).toMatchObject({
      changed: 0,
      skipped: expect.arrayContaining([{ code: 'already-resent', count: 3 }]),
    })
  })

  test('bulk resend: the queue has room for some → failures with device, command and code', async () => {
    const ids = [await fail('full'), await fail('full'), await fail('full')]
    await send('full', 18)

    const report = await run({ action: 'RESEND', ids })

    expect(report).toMatchObject({
      ...{ state: 'DONE', changed: 2, failed: 1 },
      failures: [
        {
          messageId: ids[2],
          code: 'queue-full',
          params: { deviseId: 'full', command: 'go', waiting: 20, limit: 20 },
        },
      ],
    })
    expect(await detail(ids[2] as number)).toMatchObject({ resentAs: null })
  })

  test('bulk replay: a parked message and others → the parked one is pending again', async () => {
    const parked = await sendAndPark(broker, 'lift')
    const failed = await fail('lift-2')

    const report = await run({ action: 'REPLAY', ids: [parked, failed] })

    expect(report).toMatchObject({ changed: 1, skipped: [{ code: 'not-unknown', count: 1 }] })
    expect(await broker.status(parked)).toBe('NOT_DELIVERED')
  })

  test('bulk: ids and filter, neither, no ids, too many ids → 400', async () => {
    const bodies = [
      { action: 'CANCEL', ids: [1], filter: {} },
      { action: 'CANCEL' },
      { action: 'CANCEL', ids: [] },
      { action: 'CANCEL', ids: Array.from({ length: 501 }, (_, i) => i + 1) },
      { action: 'DELETE', ids: [1] },
    ]
    for (const body of bodies) expect((await admin.post(BULK, body)).status).toBe(400)
  })

  test('bulk: the same idempotency key → the first report; with other content 422', async () => {
    const [id] = await send('keyed', 1)
    const order = { action: 'CANCEL', ids: [id], idempotencyKey: 'bulk-1' }
    const first = await run(order)

    const repeated = await admin.post(BULK, order)

    expect(repeated.status).toBe(202)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(repeated.body).toEqual(first)
    expect((await admin.post(BULK, { ...order, action: 'REPLAY' })).status).toBe(422)
  })

  test('bulk: one line of the audit trail for the call, with the counts, and none for its messages', async () => {
    const ids = await send('audited', 3)
    const { id } = await run({ action: 'CANCEL', ids })

    const { body } = await admin.get('/admin/api/audit?limit=5')
    const lines = (body as { action: string; object: string }[]).filter(({ action }) =>
      action.startsWith('message.'),
    )
    expect(lines[0]).toMatchObject({
      ...{ action: 'message.bulk', object: String(id), deviseId: 'admin' },
      detail: { action: 'CANCEL', messages: 3, force: false, state: 'DONE', matched: 3, changed: 3 },
    })
    expect(lines.filter(({ object }) => ids.includes(Number(object)))).toEqual([])
  })

  test('bulk: the storage is away at the end of a job → the audit trail has the counts when it is back', async () => {
    const ids = await send('audited-later', 2)
    outage.begin('audit.complete')
    const { id } = await run({ action: 'CANCEL', ids })
    const line = async (): Promise<unknown> => {
      const { body } = await admin.get('/admin/api/audit?limit=5')
      return (body as { object: string }[]).find(({ object }) => object === String(id))
    }
    expect(await line()).toMatchObject({ detail: { state: 'RUNNING' } })
    outage.end()
    await eventually(async () =>
      expect(await line()).toMatchObject({ detail: { state: 'DONE', changed: 2 } }),
    )
  })

  test('bulk: a report that is unknown → 404 for GET and DELETE; the list has the newest first', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status } = await call(broker.server.url, method, `${BULK}/1`, undefined, broker.token)
      expect(status).toBe(404)
    }
    const reports = (await admin.get(BULK)).body as Report[]
    expect(reports.map(({ id }) => id)).toEqual(reports.map(({ id }) => id).toSorted((a, b) => b - a))
  })
})
