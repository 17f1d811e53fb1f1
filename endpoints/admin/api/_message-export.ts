/** Formats messages as CSV (RFC 4180) and as lines of JSON. Not a route. */

import type { ExportedMessages } from '../../../src/broker/views/message-export.ts'
import type { ListedMessage } from '../../../src/broker/views/messages.ts'
import { causeOf } from '../../../src/broker/vocabulary/message.ts'
import { csvText, withGuard } from '../../../src/wire/csv.ts'
import { listedText } from './_message-answers.ts'

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
}

/** Columns of the CSV, each with its cell. */
const COLUMNS: Readonly<Record<string, (message: ListedMessage) => string | number | null>> = {
  id: ({ record }) => record.id,
  deviseId: ({ record }) => withGuard(record.deviceId),
  command: ({ record }) => withGuard(record.command),
  deliveryStatus: ({ record }) => record.status,
  deliveryGuarantee: ({ record }) => record.guarantee,
  createdDate: ({ record }) => dateOf(record.createdAtMs),
  deliveredDate: ({ record }) => dateOf(record.deliveredAtMs),
  tmpId: ({ record }) => record.correlationId,
  producerDeviseId: ({ record }) => withGuard(record.producerId ?? ''),
  deliveredError: ({ record }) => String(record.deliveredError),
  data: ({ record }) => record.data,
  cause: ({ record }) => causeOf(record),
  senderDeviseId: ({ record }) => withGuard(record.senderId ?? ''),
  attempts: ({ attempts }) => attempts,
}

/** Returns the text of an export. CSV begins with the names of the columns. */
export function exportText(parts: ExportedMessages, format: ExportFormat): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const source = parts[Symbol.asyncIterator]()
      let isFirst = format === 'csv'
      return {
        async next() {
          if (isFirst) {
            isFirst = false
            return { done: false, value: csvText([Object.keys(COLUMNS)]) }
          }
          const { done, value } = await source.next()
          if (done) return { done: true, value: undefined }
          return { done: false, value: format === 'csv' ? csvRows(value) : jsonLines(value) }
        },
        async return() {
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function csvRows(messages: readonly ListedMessage[]): string {
  return csvText(messages.map((message) => Object.values(COLUMNS).map((cell) => cell(message))))
}

/** Returns a line for each message. A line break in `data` is only ever white space between tokens. */
function jsonLines(messages: readonly ListedMessage[]): string {
  return messages.map((message) => `${listedText(message).replace(/[\r\n]+/g, ' ')}\n`).join('')
}

/** Formats a time for spreadsheets; empty without one. */
function dateOf(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}
