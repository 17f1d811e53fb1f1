/** Reads release, storage and settings of the server, and downloads a backup. */
import type { components } from '../../client/index.ts'
import type { Locale } from '../texts/languages.ts'
import { downloadFile } from './devices.ts'
import { call } from './session.ts'

export type System = components['schemas']['System']
export type Setting = components['schemas']['Setting']

/** @param language language of the meanings of the settings */
export function loadSystem(language: Locale = 'en'): Promise<System> {
  return call((api) => api.GET('/admin/api/system', { params: { query: { details: true, language } } }))
}

/**
 * Downloads a backup as a file.
 *
 * @param onProgress called with the number of bytes received so far
 * @throws {RequestError} 409: another backup is being made; 503: the disk has no room for a backup
 */
export async function downloadBackup(
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let name = 'waybill.db'
  const stream = await call(async (api) => {
    const result = await api.GET('/admin/api/system/backup', { parseAs: 'stream', signal })
    name = /filename="([^"]+)"/.exec(result.response.headers.get('content-disposition') ?? '')?.[1] ?? name
    return result as { data?: ReadableStream<Uint8Array<ArrayBuffer>>; error?: unknown; response: Response }
  })
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  // A loop over the reader, because not every browser can iterate over a stream.
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    bytes += value.length
    onProgress(bytes)
  }
  downloadFile(new Blob(pieces, { type: 'application/vnd.sqlite3' }), name)
}
