/** Text of server-sent events, and the life of their source. */
import { expect, test } from 'vitest'
import { EventStream, type EventStreamOptions, type ServerSentEvent } from '../../src/web/event-stream.ts'

async function* only(event: unknown): AsyncGenerator<ServerSentEvent> {
  yield event as ServerSentEvent
}

function readerOf(
  source: AsyncIterable<ServerSentEvent>,
  options: EventStreamOptions = {},
  signal = new AbortController().signal,
): AsyncIterator<string> {
  const { value } = new EventStream({ signal }, source, options)
  return (value as AsyncIterable<string>)[Symbol.asyncIterator]()
}

test.each<[ServerSentEvent, string]>([
  [{ data: 'hello' }, 'data: hello\n\n'],
  [{ data: '' }, 'data: \n\n'],
  [{ data: 'a\nb\r\nc\rd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
  [{ data: { text: 'a\nb' } }, 'data: {"text":"a\\nb"}\n\n'],
  [{ data: [1, null] }, 'data: [1,null]\n\n'],
  [{ data: null }, 'data: null\n\n'],
  [{ data: 0 }, 'data: 0\n\n'],
  [{ event: 'note', id: 7, retry: 0, data: 'x' }, 'event: note\nid: 7\nretry: 0\ndata: x\n\n'],
  [{ id: '' }, 'id: \n\n'],
])('%j → %j', async (event, text) => {
  expect(await readerOf(only(event)).next()).toEqual({ done: false, value: text })
})

test.each([
  [{ event: 'a\nb' }, 'An event has event "a\\nb", which has a character that is not allowed.'],
  [{ id: '1\n2' }, 'An event has id "1\\n2", which has a character that is not allowed.'],
  [{ id: 'ü' }, 'An event has id "ü", which has a character that is not allowed.'],
  [{ retry: 1.5 }, 'An event has retry 1.5; it must be whole milliseconds.'],
  [{ text: 'hi' }, 'An event has the member "text". It may have event, id, retry, data.'],
  ['hi', 'An event stream yielded hi. Yield an object such as { data: … }.'],
  [null, 'An event stream yielded null. Yield an object such as { data: … }.'],
  [{ data: new Map() }, 'A handler returned a Map, which JSON would lose. Return Object.fromEntries(map).'],
])('%j → refused', async (event, message) => {
  await expect(readerOf(only(event)).next()).rejects.toThrow(message)
})

/** Source whose first event never comes. It counts what happens to it. */
function silent() {
  const counts = { reads: 0, closed: 0 }
  const source: AsyncIterable<ServerSentEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        counts.reads++
        return new Promise(() => {})
      },
      return: () => {
        counts.closed++
        return Promise.resolve({ done: true, value: undefined })
      },
    }),
  }
  return { counts, source }
}

/** Timer that a test lets tick. */
function heldTimer() {
  const timer = { intervalMs: 0, tick: () => {}, stopped: 0 }
  const every = (intervalMs: number, run: () => void) => {
    Object.assign(timer, { intervalMs, tick: run })
    return () => {
      timer.stopped++
    }
  }
  return { timer, every }
}

test('a silent source → a heartbeat for each tick that is read; the source is read once', async () => {
  const { counts, source } = silent()
  const { timer, every } = heldTimer()
  const reader = readerOf(source, { heartbeatMs: 500, every })
  for (let i = 0; i < 3; i++) {
    const next = reader.next()
    timer.tick()
    timer.tick()
    expect(await next).toEqual({ done: false, value: ':\n\n' })
  }
  expect([timer.intervalMs, counts.reads]).toEqual([500, 1])
})

test('the signal aborts while the source waits → the end, the source is closed once, the timer stops', async () => {
  const { counts, source } = silent()
  const { timer, every } = heldTimer()
  const left = new AbortController()
  const reader = readerOf(source, { every }, left.signal)
  const next = reader.next()
  left.abort()
  expect(await next).toEqual({ done: true, value: undefined })
  await reader.return?.()
  expect([counts.closed, timer.stopped > 0]).toEqual([1, true])
})

test('return while the source waits → the pending read ends, the source is closed once', async () => {
  const { counts, source } = silent()
  const { every } = heldTimer()
  const reader = readerOf(source, { every })
  const next = reader.next()
  await reader.return?.()
  expect(await next).toEqual({ done: true, value: undefined })
  expect(counts.closed).toBe(1)
})

test('the signal has aborted → the end, and the source is not read', async () => {
  const { counts, source } = silent()
  const reader = readerOf(source, {}, AbortSignal.abort())
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(counts).toEqual({ reads: 0, closed: 1 })
})
