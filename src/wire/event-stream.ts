/** Converts the feed to an event stream (Server-Sent Events; HTML Living Standard, 9.2). */
import type { Batch, FeedEvent } from '../broker/feed.ts'

/** Milliseconds that a browser waits before it reconnects. */
const RETRY_MS = 2_000

/**
 * Returns the text of each batch. Without `details` the stream has the events of messages and connections only. It reads a batch only when its reader asks for one, and closes `batches` at once when
 * its reader closes. An async generator would close them only after the batch that it waits for.
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
  const shown = details ? events : events.filter(({ type }) => type !== 'alert')
  return head + shown.map(eventText).join('') || ': still here\n\n'
}

function eventText(event: FeedEvent): string {
  const { deviceId } = event.change
  if (event.type === 'message') {
    const { messageId, status } = event.change
    return framed(event.id, event.type, { id: messageId, deviseId: deviceId, deliveryStatus: status })
  }
  if (event.type === 'alert') {
    const { key, kind, state, count, open } = event.change
    return framed(event.id, event.type, { key, kind, deviseId: deviceId, state, count, open })
  }
  const { connected, transport, atMs } = event.change
  return framed(event.id, event.type, { deviseId: deviceId, connected, transport, date: atMs })
}

function framed(id: string, type: string, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
