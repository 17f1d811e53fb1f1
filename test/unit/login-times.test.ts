/** Times of logins: kept in memory, and written once a minute. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LOGIN_WRITE_MS, LoginTimes } from '../../src/auth/login-times.ts'

class Stored {
  readonly writes: (readonly (readonly [number, number])[])[] = []

  async lastLogins(): Promise<ReadonlyMap<number, number>> {
    return new Map([...this.writes.flat(), [3, 1]])
  }

  async previousLogin(clientId: number): Promise<number | null> {
    return this.writes.flat().find(([id]) => id === clientId)?.[1] ?? null
  }

  async recordLogins(times: readonly (readonly [number, number])[]): Promise<void> {
    this.writes.push(times)
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('login times: many logins of a client in a minute → one write, of the last time', async () => {
  const store = new Stored()
  let nowMs = 10
  const times = new LoginTimes(store, () => nowMs)
  times.record(1)
  nowMs = 20
  times.record(1)
  times.record(2)
  expect(store.writes).toEqual([])
  expect(await times.all()).toEqual(
    new Map([
      [3, 1],
      [1, 20],
      [2, 20],
    ]),
  )
  await vi.advanceTimersByTimeAsync(LOGIN_WRITE_MS)
  expect(store.writes).toEqual([
    [
      [1, 20],
      [2, 20],
    ],
  ])
  await vi.advanceTimersByTimeAsync(LOGIN_WRITE_MS)
  expect(store.writes).toHaveLength(1)
})

test('login times: the server closes → the times that are left are written', async () => {
  const store = new Stored()
  const times = new LoginTimes(store, () => 5)
  for (let id = 1; id <= 501; id++) times.record(id)
  await times.write()
  expect(store.writes.map(({ length }) => length)).toEqual([500, 1])
  await times.write()
  expect(store.writes).toHaveLength(2)
})

test('login times: the storage refuses a write → the times are written with the next one', async () => {
  const store = new Stored()
  const record = vi.spyOn(store, 'recordLogins').mockRejectedValueOnce(new Error('away'))
  const times = new LoginTimes(store, () => 5)
  times.record(1)
  await vi.advanceTimersByTimeAsync(LOGIN_WRITE_MS)
  expect([record.mock.calls.length, store.writes]).toEqual([1, []])
  await vi.advanceTimersByTimeAsync(LOGIN_WRITE_MS)
  expect(store.writes).toEqual([[[1, 5]]])
})

test('login times: the login before the present visit → read after the write of the present one', async () => {
  const store = new Stored()
  const times = new LoginTimes(store, () => 30)
  times.record(7)
  expect(await times.previous(7)).toBe(30)
  expect(await times.previous(8)).toBeNull()
})
