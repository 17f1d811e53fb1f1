/** Tests /admin/api/statistics: what it counts, its checks, and that its failures equal those of the overview. */
import { describe, expect, test } from 'vitest'
import { ADAPTER } from '../_support/adapter.ts'
import { BrokerUnderTest } from '../_support/broker.ts'

const MINUTE = 60_000
const PATH = '/admin/api/statistics'

interface Statistics {
  readonly fromDate: number
  readonly stepMs: number
  readonly deliveryMs: { readonly median: (number | null)[]; readonly p95: (number | null)[] }
  readonly [column: string]: unknown
}

async function statisticsOf(broker: BrokerUnderTest, query = ''): Promise<Statistics> {
  const { status, body } = await broker.rest.get(`${PATH}${query}`)
  expect([status, body]).toEqual([200, expect.any(Object)])
  return body as Statistics
}

const sum = (column: unknown): number =>
  (column as (number | null)[]).reduce<number>((total, each) => total + (each ?? 0), 0)

describe(`adapter ${ADAPTER}`, () => {
  test('statistics: messages that complete, fail and are cancelled → counted, also after a kill', async () => {
    const broker = await BrokerUnderTest.start()
    const done = await broker.send('pump', { command: 'a' })
    const failed = await broker.send('pump', { command: 'b' })
    const other = await broker.send('valve', { command: 'c' })
    await broker.send('valve', { command: 'd' })
    await broker.acknowledge('pump', { id: done, deliveryStatus: 'COMPLETED' })
    await broker.acknowledge('pump', { id: failed, deliveryStatus: 'COMPLETED_WITH_ERROR' })
    await broker.rest.post(`/admin/api/messages/${other}/cancel`, {})
    const counts = { stored: 4, delivered: 2, completed: 1, failed: 1, cancelled: 1 }
    const sums = ({ stored, delivered, completed, failed, cancelled }: Statistics) => {
      const columns = { stored, delivered, completed, failed, cancelled }
      return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sum(column)]))
    }
    const found = await statisticsOf(broker)
    expect(found.stepMs).toBe(15 * MINUTE)
    expect(sums(found)).toEqual(counts)
    expect((found.pending as number[]).at(-1)).toBeGreaterThanOrEqual(1)
    expect(found.deliveryMs.median.findLast((each) => each !== null)).toBeGreaterThanOrEqual(0)
    const { body } = await broker.rest.get('/admin/api/overview')
    expect((body as { failed: object }).failed).toEqual({
      completedWithError: 1,
      unknown: 0,
      notAcknowledged: 0,
    })

    const ofPump = await statisticsOf(broker, '?deviseId=pump')
    expect(sums(ofPump)).toEqual({ ...counts, stored: 2, cancelled: 0 })
    expect(sum((await statisticsOf(broker, '?deviseId=nobody')).stored)).toBe(0)

    await broker.server.kill()
    const again = await BrokerUnderTest.start({ dataDir: broker.dataDir })
    expect(sums(await statisticsOf(again))).toEqual(counts)
  })

  test('statistics: a range without a server → null; steps → equal columns that begin with the step', async () => {
    const broker = await BrokerUnderTest.start()
    const now = Date.now()
    const from = now - (now % MINUTE) - 5 * MINUTE + 1
    const { fromDate, stepMs, deliveryMs, ...columns } = await statisticsOf(
      broker,
      `?from=${from}&to=${from + 5 * MINUTE - 1}&step=${MINUTE}`,
    )
    expect([fromDate, stepMs]).toEqual([from - 1, MINUTE])
    const nothing = Array(5).fill(null)
    for (const column of Object.values({ ...columns, ...deliveryMs })) expect(column).toEqual(nothing)
  })

  test('statistics: a step, a time or a range that is not possible → 400 that says how to mend it', async () => {
    const broker = await BrokerUnderTest.start()
    const refused = async (query: string) => {
      const { status, body } = await broker.rest.get(`${PATH}?${query}`)
      expect(status).toBe(400)
      return JSON.stringify(body)
    }
    expect(await refused('step=1')).toMatch(/step/)
    expect(await refused('from=x')).toMatch(/from/)
    expect(await refused('from=5&to=5')).toMatch(/empty/)
    expect(await refused(`from=0&to=${751 * MINUTE}&step=60000`)).toMatch(/751 steps/)
  })
})
