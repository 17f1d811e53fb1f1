/** The client's wait for a status, against a server that holds requests, and against one that does not. */
import { expect, test, vi } from 'vitest'
import { TimeoutError } from '../../src/client/index.ts'
import type { DeliveryStatus, WaitOptions } from '../../src/client/options.ts'
import { ENDED_STATUSES, type StatusQuery, waitForStatus } from '../../src/client/wait.ts'
import { whenDone } from '../_support/cleanup.ts'

interface Reply {
  readonly status: DeliveryStatus
  readonly retryAfterMs?: number
}

/**
 * Waits against a server with these replies; the last one is for all further requests. The clock is held, and moves to the
 * end of each pause.
 *
 * @returns the requests, their times since the first one, and the result
 */
async function waitAgainst(
  replies: readonly Reply[],
  statuses: readonly DeliveryStatus[] = ENDED_STATUSES,
  options: WaitOptions = {},
): Promise<{ queries: StatusQuery[]; atMs: number[]; end: DeliveryStatus | Error }> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  whenDone(() => vi.useRealTimers())
  const queries: StatusQuery[] = []
  const atMs: number[] = []
  const startMs = performance.now()
  let isOver = false
  const waiting = waitForStatus(7, statuses, { intervalMs: 1, ...options }, async (query) => {
    const { status, retryAfterMs = 0 } = replies[Math.min(queries.length, replies.length - 1)] as Reply
    queries.push(query)
    atMs.push(performance.now() - startMs)
    return { status, retryAfterMs }
  })
    .catch((error: Error) => error)
    .finally(() => {
      isOver = true
    })
  for (let n = 0; n < 1_000 && !isOver; n++) await vi.advanceTimersToNextTimerAsync()
  return { queries, atMs, end: await waiting }
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
  const { atMs, end } = await waitAgainst([{ status: 'NOT_DELIVERED' }], undefined, {
    intervalMs: 100,
    timeoutMs: 1_300,
  })
  expect(end).toBeInstanceOf(TimeoutError)
  expect(end).toMatchObject({ status: 'NOT_DELIVERED' })
  expect(atMs).toEqual([0, ...Array.from({ length: 14 }, (_, n) => 100 * n)])
})

test('wait: the time limit is near → the server is not asked to hold the request beyond it', async () => {
  const { queries } = await waitAgainst([{ status: 'NOT_DELIVERED' }], undefined, {
    intervalMs: 30,
    timeoutMs: 60,
  })
  expect(queries).toEqual([{}, {}, {}])
})

test('wait: the server asks for a pause → no request before it is over', async () => {
  const { atMs } = await waitAgainst([
    { status: 'NOT_DELIVERED' },
    { status: 'NOT_DELIVERED', retryAfterMs: 250 },
    { status: 'COMPLETED' },
  ])
  expect(atMs).toEqual([0, 0, 250])
})

test('wait: the signal aborts → its reason', async () => {
  const end = await waitAgainst([{ status: 'NOT_DELIVERED' }], undefined, {
    signal: AbortSignal.abort(new Error('enough')),
  })
  expect(end).toMatchObject({ queries: [], end: new Error('enough') })
})
