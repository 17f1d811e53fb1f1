/** The client's wait for a status, against a server that holds requests, and against one that does not. */
import { expect, test } from 'vitest'
import { TimeoutError } from '../../src/client/index.ts'
import type { DeliveryStatus, WaitOptions } from '../../src/client/options.ts'
import { ENDED_STATUSES, type StatusQuery, waitForStatus } from '../../src/client/wait.ts'

interface Reply {
  readonly status: DeliveryStatus
  readonly retryAfterMs?: number
}

/** Waits against a server with these replies; the last one is for all further requests. */
async function waitAgainst(
  replies: readonly Reply[],
  statuses: readonly DeliveryStatus[] = ENDED_STATUSES,
  options: WaitOptions = {},
): Promise<{ queries: StatusQuery[]; end: DeliveryStatus | Error; tookMs: number }> {
  const queries: StatusQuery[] = []
  const startMs = performance.now()
  const end = await waitForStatus(7, statuses, { intervalMs: 1, ...options }, async (query) => {
    const { status, retryAfterMs = 0 } = replies[Math.min(queries.length, replies.length - 1)] as Reply
    queries.push(query)
    return { status, retryAfterMs }
  }).catch((error: Error) => error)
  return { queries, end, tookMs: performance.now() - startMs }
}

test('wait for a status: it is there already → one request, which the server does not hold', async () => {
  expect(await waitAgainst([{ status: 'COMPLETED' }])).toMatchObject({ queries: [{}], end: 'COMPLETED' })
})

test('wait for an ended status → the server holds the request until the message has ended', async () => {
  const { queries, end } = await waitAgainst([{ status: 'NOT_DELIVERED' }, { status: 'COMPLETED' }])
  expect({ queries, end }).toEqual({ queries: [{}, { wait: 25 }], end: 'COMPLETED' })
})

test('wait for DELIVERED → the server holds the request until the status is another one', async () => {
  const { queries, end } = await waitAgainst(
    [{ status: 'NOT_DELIVERED' }, { status: 'DELIVERED' }],
    ['DELIVERED'],
  )
  expect(queries).toEqual([{}, { wait: 25, changedFrom: 'NOT_DELIVERED' }])
  expect(end).toBe('DELIVERED')
})

test.each(['CANCELLED', 'UNKNOWN'] as const)(
  'wait for COMPLETED: it ends as %s → that status',
  async (status) => {
    expect((await waitAgainst([{ status: 'NOT_DELIVERED' }, { status }], ['COMPLETED'])).end).toBe(status)
  },
)

test('wait: the server holds no request → asked once an interval', async () => {
  const { queries, end } = await waitAgainst([{ status: 'NOT_DELIVERED' }], undefined, {
    intervalMs: 100,
    timeoutMs: 1_300,
  })
  expect(end).toBeInstanceOf(TimeoutError)
  expect(end).toMatchObject({ status: 'NOT_DELIVERED' })
  expect(queries.length).toBeGreaterThan(2)
  expect(queries.length).toBeLessThan(25)
})

test('wait: the time limit is near → the server is not asked to hold the request beyond it', async () => {
  const { queries } = await waitAgainst([{ status: 'NOT_DELIVERED' }], undefined, {
    intervalMs: 30,
    timeoutMs: 60,
  })
  expect(queries.every(({ wait }) => wait === undefined)).toBe(true)
})

test('wait: the server asks for a pause → no request before it is over', async () => {
  const { queries, tookMs } = await waitAgainst([
    { status: 'NOT_DELIVERED' },
    { status: 'NOT_DELIVERED', retryAfterMs: 250 },
    { status: 'COMPLETED' },
  ])
  expect(queries).toHaveLength(3)
  expect(tookMs).toBeGreaterThanOrEqual(245)
})

test('wait: the signal aborts → its reason', async () => {
  const end = await waitAgainst([{ status: 'NOT_DELIVERED' }], undefined, {
    signal: AbortSignal.abort(new Error('enough')),
  })
  expect(end).toMatchObject({ queries: [], end: new Error('enough') })
})
