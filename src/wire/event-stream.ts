/** Converts the feed to an event stream (Server-Sent Events; HTML Living Standard, 9.2). */
import type { Batch, FeedEvent } from '../broker/feed.ts'
import type { Transitioned } from '../broker/store.ts'

/** Milliseconds that a browser waits before it reconnects. */
const RETRY_MS = 2_000

/**
 * Returns the text of each batch. Without `details` the stream has the events of messages and connections only. It reads a
 * batch only when its reader asks for one, and closes `batches` at once when its reader closes. An async generator would
 * close them only after the batch that it waits for.
 */
export function eventStream(batches: AsyncIterable<Batch>, details: boolean): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const source = batches[Symbol.asyncIterator]()
      return {
        async next() {
          const { done, value } = await source.next()
          return done ? { done, value: undefined } : { done: false, value: textOf(value, details) }
        },
        async return() {
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function textOf({ start, events, after }: Batch, details: boolean): string {
  const head = start ? `retry: ${RETRY_MS}\n${framed(after, start.toLowerCase(), {})}` : ''
  const shown = details ? events : events.filter(({ type }) => type === 'message' || type === 'connection')
  return head + shown.map((event) => eventText(event, details)).join('') || ': still here\n\n'
}

function eventText(event: FeedEvent, details: boolean): string {
  if (event.type === 'bulk') {
    const { id, action, state, matched, left, done, changed, skipped, failed } = event.change
    const counts = { matched, left, done, changed, skipped, failed }
    return framed(event.id, event.type, { id, action, state, ...counts })
  }
  const { deviceId } = event.change
  if (event.type === 'message') {
    const { messageId: id, status: deliveryStatus } = event.change
    const shown = { id, deviseId: deviceId, deliveryStatus }
    return framed(event.id, event.type, details ? { ...shown, ...detailsOf(event.change) } : shown)
  }
  if (event.type === 'alert') {
    const { key, kind, state, count, open } = event.change
    return framed(event.id, event.type, { key, kind, deviseId: deviceId, state, count, open })
  }
  const { connected, transport, atMs } = event.change
  return framed(event.id, event.type, { deviseId: deviceId, connected, transport, date: atMs })
}

/** Returns the details that a change carries. The command and most numbers of attempts would cost a read of the storage. */
function detailsOf({ cause, details }: Transitioned): object {
  return { cause, attempt: cause === 'STORED' ? 0 : (details?.attempts ?? null) }
}

function framed(id: string, type: string, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
