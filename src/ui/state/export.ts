/** Exports messages to a file, one export at a time in a tab. An export continues when the user leaves the screen. */
import { signal } from '@preact/signals'
import type { paths } from '../../client/index.ts'
import { downloadFile } from './devices.ts'
import { type FilePicker, openSink, type Sink } from './export-sink.ts'
import { call } from './session.ts'

type ApiQuery = paths['/admin/api/messages/export']['get']['parameters']['query']
export type ExportFormat = ApiQuery['format']
/** Conditions of the messages, by their names in the API. */
export type ExportConditions = Omit<ApiQuery, 'format'>

export interface RunningExport {
  readonly bytes: number
  readonly stop: () => void
}

const TYPES: Readonly<Record<ExportFormat, string>> = { csv: 'text/csv', jsonl: 'application/x-ndjson' }

export const runningExport = signal<RunningExport | null>(null)

/**
 * Exports messages. Call it in a click handler, because the browser asks for the file.
 *
 * @returns the size of the file; null if the user dismissed the file picker or stopped the export
 * @throws {RequestError} 409: other exports are running @throws {TooLarge}
 */
export async function exportMessages(
  conditions: ExportConditions,
  format: ExportFormat,
): Promise<number | null> {
  const stopping = new AbortController()
  const show = (bytes: number): void => {
    runningExport.value = { bytes, stop: () => stopping.abort() }
  }
  const pick = (window as { showSaveFilePicker?: FilePicker }).showSaveFilePicker?.bind(window)
  const sink = await openSink(fileName(format), TYPES[format], pick, downloadFile)
  if (sink === null) return null
  show(0)
  try {
    const bytes = await copy(await open({ ...conditions, format }, stopping.signal), sink, show)
    // The last part may have arrived before the stop.
    stopping.signal.throwIfAborted()
    await sink.close()
    return bytes
  } catch (error) {
    await sink.abort().catch(() => {})
    if (stopping.signal.aborted) return null
    stopping.abort()
    throw error
  } finally {
    runningExport.value = null
  }
}

function open(query: ApiQuery, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  return call(async (api) => {
    const result = await api.GET('/admin/api/messages/export', {
      params: { query },
      parseAs: 'stream',
      signal,
    })
    return result as { data?: ReadableStream<Uint8Array<ArrayBuffer>>; error?: unknown; response: Response }
  })
}

/**
 * Copies a stream into a sink, and returns the number of bytes. Reads each part after the sink has taken the previous
 * one.
 */
async function copy(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  sink: Sink,
  onProgress: (bytes: number) => void,
): Promise<number> {
  let bytes = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes
    await sink.write(value)
    bytes += value.length
    onProgress(bytes)
  }
}

/** Returns a name with the local time. */
function fileName(format: ExportFormat): string {
  const now = new Date()
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
  return `waybill-messages-${local.toISOString().slice(0, 19).replaceAll(':', '-')}.${format}`
}
