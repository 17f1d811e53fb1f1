/** Searches of the SQLite driver on its reader threads: their end, their limits, what they suggest. */
import { beforeEach, describe, expect, test } from 'vitest'
import { HeldClock } from '../_support/clock.ts'
import { message } from '../_support/message.ts'
import { TemporaryStore } from '../_support/store.ts'
import { alter, databaseIn } from '../_support/stored.ts'
import { enqueueAll } from '../contract/message-lists.ts'

const { signal } = new AbortController()
const LIMITS = { messages: 1_000_000, bytes: 0 }

describe('searches of messages', () => {
  let store: TemporaryStore
  beforeEach(() => {
    store = new TemporaryStore({ clock: new HeldClock() })
  })

  test('the caller leaves → the search ends after a step, and the next one is whole', async () => {
    const clock = new HeldClock()
    store = new TemporaryStore({ clock })
    await enqueueAll(store.messages, clock)
    const left = await store.searches.page({ text: 'never' }, 10, AbortSignal.abort())
    expect(left).toEqual({ items: [], next: 1_401, searchedToMs: 1_400_000 })
    const whole = await store.searches.page({ text: 'never' }, 10, signal)
    expect(whole).toEqual({ items: [], next: null, searchedToMs: null })
  })

  test('many at a time → each has its answer; more than wait → storage-busy', async () => {
    await store.messages.enqueue(message({ data: '{"a":1}' }), LIMITS)
    const calls = Array.from({ length: 103 }, () => store.searches.count({ text: '"a"' }, signal))
    const outcomes = await Promise.allSettled(calls)
    const answers = outcomes.filter(({ status }) => status === 'fulfilled')
    expect(answers).toHaveLength(102)
    for (const { value } of answers as PromiseFulfilledResult<unknown>[])
      expect(value).toEqual({ count: 1, isExact: true, searchedToMs: null })
    expect(outcomes.at(-1)).toMatchObject({ reason: { code: 'storage-busy' } })
  })

  test('a message was just stored → found', async () => {
    for (let i = 1; i <= 20; i++) {
      await store.messages.enqueue(message({ command: `run-${i}` }), LIMITS)
      expect((await store.searches.page({ search: `run-${i}` }, 10, signal)).items).toHaveLength(1)
    }
  })

  test('suggestions → different values that contain the part, the newest first', async () => {
    for (const [command, senderId] of [
      ['Start', 'shop'],
      ['stop', 'irina'],
      ['restart', null],
      ['Start', 'shop'],
      ['Открыть', 'Ирина'],
    ] as const)
      await store.messages.enqueue(message({ command, senderId }), LIMITS)
    const { searches } = store
    expect(await searches.suggest('command', 'START', 8, signal)).toEqual(['Start', 'restart'])
    expect(await searches.suggest('command', 'открыть', 8, signal)).toEqual(['Открыть'])
    expect(await searches.suggest('command', '', 2, signal)).toEqual(['Открыть', 'Start'])
    expect(await searches.suggest('senderId', 'I', 8, signal)).toEqual(['irina'])
    expect(await searches.suggest('senderId', '%', 8, signal)).toEqual([])
  })

  test('a search fails in SQLite → its error, and the thread goes on', async () => {
    await store.messages.enqueue(message(), LIMITS)
    alter(databaseIn(store.directory), 'DROP TABLE resends')
    const { searches } = store
    await expect(searches.page({ resent: false }, 10, signal)).rejects.toMatchObject({
      code: 'SQLITE_ERROR',
      message: expect.stringContaining('resends'),
    })
    expect((await searches.page({ search: 'pump' }, 10, signal)).items).toHaveLength(1)
  })

  test('the storage closes → waiting and later searches are refused', async () => {
    const { searches } = store
    const waiting = Array.from({ length: 20 }, () =>
      searches.count({ text: 'never' }, signal).catch((error) => error),
    )
    const settled = Promise.all(waiting)
    await store.close()
    for (const each of await settled)
      if (each instanceof Error) expect(each).toMatchObject({ code: 'storage-closed' })
    await expect(searches.count({}, signal)).rejects.toMatchObject({ code: 'storage-closed' })
  })
})
