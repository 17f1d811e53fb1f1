/** Converts the feed to an event stream (Server-Sent Events; HTML Living Standard, 9.2). */

import type { Transitioned } from '../broker/contract/store.ts'
import type { Batch, FeedEvent } from '../broker/views/feed.ts'
import { toIncidentItem } from './incident-item.ts'
import { toLogItem } from './log-item.ts'

/** Milliseconds that a browser waits before it reconnects. */
const RETRY_MS = 2_000

export interface StreamChoice {
  readonly details: boolean
  /**
   * Types of the events. Default: those of messages and connections, with details those of alerts and bulk jobs too.
   */
  readonly types?: readonly FeedEvent['type'][] | undefined
  /** Leaves out events of other devices. Empty: all devices. */
  readonly deviceIds: readonly string[]
}

/**
 * Returns the text of each batch. It reads a batch only when its reader asks for one. It closes
 * `batches` at once when its reader closes: an async generator would close them only after the batch that it awaits.
 */
export function eventStream(batches: AsyncIterable<Batch>, choice: StreamChoice): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const source = batches[Symbol.asyncIterator]()
      return {
        async next() {
          const { done, value } = await source.next()
          return done ? { done, value: undefined } : { done: false, value: textOf(value, choice) }
        },
        async return() {
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** Lists the types of a stream whose reader chose none. Streams of earlier releases have no other types. */
function typesOf(details: boolean): readonly FeedEvent['type'][] {
  return details ? ['message', 'connection', 'alert', 'bulk'] : ['message', 'connection']
}

function textOf({ start, events, after }: Batch, choice: StreamChoice): string {
  const { details, types = typesOf(details), deviceIds } = choice
  const head = start ? `retry: ${RETRY_MS}\n${framed(after, start.toLowerCase(), {})}` : ''
  const isChosen = (deviceId: string | null): boolean => deviceId === null || deviceIds.includes(deviceId)
  const shown = events.filter(
    (event) => types.includes(event.type) && (deviceIds.length === 0 || isChosen(deviceOf(event))),
  )
  return head + shown.map((event) => eventText(event, details)).join('') || ': still here\n\n'
}

function eventText(event: FeedEvent, details: boolean): string {
  return framed(event.id, event.type, contentOf(event, details))
}

/** Returns the device that a change is about; null for one that may be about several. */
function deviceOf({ change }: FeedEvent): string | null {
  return 'deviceId' in change ? change.deviceId : null
}

function contentOf(event: FeedEvent, details: boolean): object {
  switch (event.type) {
    case 'bulk': {
      const { id, action, state, matched, left, done, changed, skipped, failed } = event.change
      return { id, action, state, matched, left, done, changed, skipped, failed }
    }
    case 'message': {
      const { messageId: id, deviceId: deviseId, status: deliveryStatus } = event.change
      const shown = { id, deviseId, deliveryStatus }
      return details ? { ...shown, ...detailsOf(event.change) } : shown
    }
    case 'alert': {
      const { key, kind, deviceId: deviseId, state, count, open } = event.change
      return { key, kind, deviseId, state, count, open }
    }
    case 'incident':
      return toIncidentItem(event.change)
    case 'log':
      return { deviseId: event.change.deviceId, ...toLogItem(event.change.entry) }
    case 'connection': {
      const { deviceId: deviseId, connected, transport, atMs: date } = event.change
      return { deviseId, connected, transport, date }
    }
  }
}

/** Returns the details that a change carries. The command and most attempt numbers would cost a read of the storage. */
function detailsOf({ cause, details }: Transitioned): object {
  return { cause, attempt: cause === 'STORED' ? 0 : (details?.attempts ?? null) }
}

function framed(id: string, type: string, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
