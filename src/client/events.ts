/** Iterates over live changes. Reconnects after a lost connection and resumes after the last event. */
import { ConnectionError, RequestError } from './errors.ts'
import { eventParser } from './sse.ts'

/**
 * Change that the server reports while it happens.
 *
 * @example
 * ```ts
 * const print = ({ event, data }: LiveEvent) => console.log(event, data)
 * for await (const event of client.subscribe()) print(event)
 * ```
 */
export interface LiveEvent {
  /** Id of the event. Pass it as `lastEventId` to resume after this event. */
  readonly id: string
  /** Kind of the event, such as `message` or `connection`. */
  readonly event: string
  /** Parsed JSON of the event. */
  readonly data: unknown
}

/**
 * Options of {@link Client.subscribe}.
 *
 * @example
 * ```ts
 * const options: SubscribeOptions = { signal: AbortSignal.timeout(60_000), onState: (state) => console.log(state) }
 * for await (const event of client.subscribe(options)) console.log(event)
 * ```
 */
export interface SubscribeOptions {
  /** Id of the event after which the iteration resumes. Default: the iteration begins with the next change. */
  readonly lastEventId?: string
  /** True adds the events of alerts and of actions on many messages, and details of changes. */
  readonly details?: boolean
  /** Types of the events. Default: `message` and `connection`, with details also `alert` and `bulk`. */
  readonly events?: readonly ('message' | 'connection' | 'alert' | 'bulk' | 'incident' | 'log')[]
  /** Devices whose events the stream has, at most 20. Default: all. Events of type `log` need it. */
  readonly devices?: readonly string[]
  /** Aborting it ends the iteration without an error. */
  readonly signal?: AbortSignal
  /** Called with `open` after each successful connect, and with `lost` before each pause between attempts. */
  readonly onState?: (state: 'open' | 'lost') => void
  /**
   * Called whenever data arrives. The server sends something every five seconds, so a longer silence means a dead
   * connection.
   */
  readonly onActivity?: () => void
}

/** Milliseconds between two attempts to connect, unless the server names another interval. */
const RETRY_MS = 1000

/**
 * Iterates over the events of a stream. Reconnects after a lost connection and after a 503 to a later request; any
 * other error ends the iteration.
 *
 * @param connect requests the stream; rejects with a `RequestError` on an error status
 * @throws {RequestError} @throws {ConnectionError}
 */
export async function* liveEvents(
  connect: (headers: Record<string, string>, signal?: AbortSignal) => Promise<Response>,
  { lastEventId = '', signal, onState, onActivity }: SubscribeOptions,
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
        onActivity?.()
        for (const { id, event, data } of parser.push(text)) {
          lastId = id
          yield { id, event, data: JSON.parse(data) }
        }
        retryMs = parser.retryMs ?? retryMs
      }
    } catch (error) {
      if (signal?.aborted) return
      // A failing first connection most likely has a wrong address. A server that was reached before may be restarting.
      const isLost = error instanceof ConnectionError || error instanceof TypeError
      if (!wasOpen || !(isLost || (error instanceof RequestError && error.status === 503))) throw error
    }
    if (!signal?.aborted) onState?.('lost')
    await pause(retryMs, signal)
  }
}

/** Yields the pieces of a body as text until the body ends or the signal aborts. */
async function* texts({ body }: Response, signal?: AbortSignal): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  // An abort between two pieces may leave a `fetch` read pending for ever, so the signal cancels the reader.
  const cancel = (): void => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

/**
 * Resolves after `ms` milliseconds, or as soon as `signal` aborts. Never rejects.
 *
 * @example
 * ```ts
 * await pause(1_000, AbortSignal.timeout(500))
 * ```
 */
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
