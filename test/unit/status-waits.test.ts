/** Requests of producers that wait for the status of a message. */
import { beforeEach, expect, test, vi } from 'vitest'
import type { Transitioned } from '../../src/broker/contract/store.ts'
import { StatusWaits } from '../../src/broker/engine/status-waits.ts'
import { WaitLimit } from '../../src/broker/engine/waits.ts'
import { isEnded, type Status } from '../../src/broker/vocabulary/status.ts'
import { whenDone } from '../_support/cleanup.ts'
import { HELD, hold } from '../_support/held.ts'

let limit: WaitLimit
let waits: StatusWaits
let statuses: Map<number, Status>
let reads: number
let listeners: Set<(change: Transitioned) => void>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  whenDone(() => vi.useRealTimers())
  limit = new WaitLimit(10)
  statuses = new Map()
  reads = 0
  listeners = new Set()
  waits = new StatusWaits({ broker: { onChange }, limit })
})

function onChange(listener: (change: Transitioned) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Changes a status as the broker does: durable first, then announced. */
function change(messageId: number, status: Status): void {
  statuses.set(messageId, status)
  for (const listener of listeners) listener({ messageId, status } as Transitioned)
}

/** Returns the signal of a peer that stays. */
const staying = (): AbortSignal => new AbortController().signal

function ask(messageId: number, waitMs = 25_000, more: Partial<Parameters<StatusWaits['answer']>[0]> = {}) {
  const answer = waits.answer<Status>({
    ...{ messageId, waitMs, signal: staying(), isAwaited: isEnded, hold },
    async read() {
      reads++
      return statuses.get(messageId) ?? 'NOT_DELIVERED'
    },
    ...(more as object),
  })
  let now: Status | 'waits' = 'waits'
  answer.then(
    (each) => {
      now = each.answer
    },
    () => {},
  )
  return { answer, now: () => now }
}

async function turnOfPromises(): Promise<void> {
  for (let n = 0; n < 20; n++) await null
}

test('status wait: the message ends → answered at once, places and subscription are free', async () => {
  const { answer, now } = ask(1)
  await turnOfPromises()
  change(1, 'DELIVERED')
  change(2, 'COMPLETED')
  await turnOfPromises()
  expect([now(), limit.count]).toEqual(['waits', 1])
  change(1, 'COMPLETED')
  expect(await answer).toEqual({ answer: 'COMPLETED', isLimited: false, hasEnded: false })
  expect([limit.count, listeners.size]).toEqual([0, 0])
})

test('status wait: another status than one → answered by it', async () => {
  const { answer } = ask(1, 25_000, { isAwaited: ((status: Status) => status !== 'NOT_DELIVERED') as never })
  await turnOfPromises()
  change(1, 'DELIVERED')
  expect((await answer).answer).toBe('DELIVERED')
})

test('status wait: the message ended before → answered at once, without a place', async () => {
  limit.take(HELD, 25_000, () => {})
  statuses.set(1, 'UNKNOWN')
  expect(await ask(1).answer).toEqual({ answer: 'UNKNOWN', isLimited: false, hasEnded: false })
  expect([limit.count, listeners.size]).toEqual([1, 0])
})

test('status wait: the message ends while its status is read → the change is not missed', async () => {
  const { answer } = ask(1, 25_000, {
    async read() {
      const seen = statuses.get(1) ?? 'NOT_DELIVERED'
      if (seen === 'NOT_DELIVERED') change(1, 'COMPLETED')
      return seen as never
    },
  })
  expect((await answer).answer).toBe('COMPLETED')
})

test('status wait: nothing changes → the present status after exactly its time', async () => {
  const { answer, now } = ask(1)
  await turnOfPromises()
  vi.advanceTimersByTime(24_999)
  await turnOfPromises()
  expect([now(), reads]).toEqual(['waits', 1])
  vi.advanceTimersByTime(1)
  expect(await answer).toEqual({ answer: 'NOT_DELIVERED', isLimited: false, hasEnded: false })
})

test('status wait: no place → the present status at once, limited', async () => {
  for (let n = 0; n < 10; n++) limit.take(HELD, 25_000, () => {})
  expect(await ask(1).answer).toEqual({ answer: 'NOT_DELIVERED', isLimited: true, hasEnded: false })
})

test('status wait: no time → the present status at once, without a place', async () => {
  for (let n = 0; n < 10; n++) limit.take(HELD, 25_000, () => {})
  expect(await ask(1, 0).answer).toEqual({ answer: 'NOT_DELIVERED', isLimited: false, hasEnded: false })
})

test('status wait: the peer leaves → the place is free at once', async () => {
  const peer = new AbortController()
  const { answer } = ask(1, 25_000, { signal: peer.signal })
  await turnOfPromises()
  expect(limit.count).toBe(1)
  peer.abort()
  await answer
  expect([limit.count, listeners.size]).toEqual([0, 0])
})

test('status wait: the message is unknown → the error of the read, nothing is left open', async () => {
  const read = async () => {
    throw new Error('unknown')
  }
  await expect(ask(1, 25_000, { read }).answer).rejects.toThrow('unknown')
  expect([limit.count, listeners.size]).toEqual([0, 0])
})

test('status waits: a stop → all are answered with the present status', async () => {
  const answers = [ask(1).answer, ask(2).answer]
  await turnOfPromises()
  limit.close()
  expect((await Promise.all(answers)).map(({ answer }) => answer)).toEqual(['NOT_DELIVERED', 'NOT_DELIVERED'])
})
