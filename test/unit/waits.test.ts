/** The places of requests that wait: how many there are, and when each ends. */
import { beforeEach, expect, test, vi } from 'vitest'
import { WaitLimit } from '../../src/broker/engine/waits.ts'
import { whenDone } from '../_support/cleanup.ts'
import { HELD } from '../_support/held.ts'

let ended: string[]
const end = (name: string) => () => void ended.push(name)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  whenDone(() => vi.useRealTimers())
  ended = []
})

test('a place: its time is over → it ends then, once, and is free', () => {
  const limit = new WaitLimit(1)
  limit.take(HELD, 25_000, end('poll'))
  vi.advanceTimersByTime(24_999)
  expect([ended, limit.count]).toEqual([[], 1])
  vi.advanceTimersByTime(1)
  expect([ended, limit.count]).toEqual([['poll'], 0])
  vi.advanceTimersByTime(60_000)
  expect(ended).toEqual(['poll'])
})

test('a place: left before its time → it never ends', () => {
  const limit = new WaitLimit(1)
  limit.take(HELD, 25_000, end('poll'))?.()
  expect(limit.count).toBe(0)
  vi.advanceTimersByTime(60_000)
  expect(ended).toEqual([])
})

test('places: one more than the limit → refused until another one is left', () => {
  const limit = new WaitLimit(2)
  const leave = limit.take(HELD, 25_000, end('first'))
  expect(limit.take(HELD, 25_000, end('second'))).not.toBeNull()
  expect(limit.take(HELD, 25_000, end('third'))).toBeNull()
  leave?.()
  expect(limit.take(HELD, 25_000, end('third'))).not.toBeNull()
  expect(ended).toEqual([])
})

test('places: the limit is 0 → no request waits', () => {
  expect(new WaitLimit(0).take(HELD, 25_000, end('poll'))).toBeNull()
})

test('a stop → all waits end at once, and every later one as soon as it begins', () => {
  const limit = new WaitLimit(10)
  limit.take(HELD, 25_000, end('first'))
  limit.take(HELD, 1_000, end('second'))
  limit.close()
  expect([ended, limit.count]).toEqual([['first', 'second'], 0])
  expect(limit.take(HELD, 25_000, end('late'))).not.toBeNull()
  expect(ended).toEqual(['first', 'second', 'late'])
  vi.advanceTimersByTime(60_000)
  expect(ended).toHaveLength(3)
})
