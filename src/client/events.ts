/** Live changes as an async iterable, which connects again and resumes where it was. */
import { ConnectionError, RequestError } from './errors.ts'
import { eventParser } from './sse.ts'

export interface LiveEvent {
  /** What to resume behind. */
  readonly id: string
  /** What happened. */
  readonly event: string
  /** Parsed. */
  readonly data: unknown
}

export interface SubscribeOptions {
  /** Resumes behind this event. */
  readonly lastEventId?: string
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Told when the connection is there (again), and when it is lost and about to be tried again. */
  readonly onState?: (state: 'open' | 'lost') => void
}

const RETRY_MS = 1000

/**
 * @param connect one request for the stream; throws where a new attempt is of no use
 * @throws {RequestError} what `connect` throws but a lost connection, which is tried again
 */
export async function* liveEvents(
  connect: (headers: Record<string, string>, signal?: AbortSignal) => Promise<Response>,
  { lastEventId = '', signal, onState }: SubscribeOptions,
): AsyncGenerator<LiveEvent> {
  let lastId = lastEventId
  let retryMs = RETRY_MS
  let wasOpen = false
  while (!signal?.aborted) {
    try {
      const response = await connect(lastId === '' ? {} : { 'last-event-id': lastId }, signal)
      wasOpen = true
      onState?.('open')
      const parser = eventParser(lastId)
      for await (const text of texts(response, signal)) {
        for (const { id, event, data } of parser.push(text)) {
          lastId = id
          yield { id, event, data: JSON.parse(data) }
        }
        retryMs = parser.retryMs ?? retryMs
      }
    } catch (error) {
      if (signal?.aborted) return
      // A server that was never there is a mistake; one that was there comes back.
      const isLost = error instanceof ConnectionError || error instanceof TypeError
      if (!wasOpen || !(isLost || (error instanceof RequestError && error.status === 503))) throw error
    }
    if (!signal?.aborted) onState?.('lost')
    await pause(retryMs, signal)
  }
}

async function* texts({ body }: Response, signal?: AbortSignal): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  // Not left to fetch: aborted between two pieces, it may leave a read waiting for ever.
  const leave = (): void => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', leave)
  if (signal?.aborted) leave()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
