/** Decodes the bytes of a CSV file saved by a spreadsheet. Knows no columns. */
import { isUtf8 } from 'node:buffer'
import { HttpError } from '../web/endpoint.ts'

export const CSV_ENCODINGS = ['UTF-8', 'UTF-16', 'Windows-1251'] as const
export type CsvEncoding = (typeof CSV_ENCODINGS)[number]

export interface DecodedCsv {
  readonly text: string
  readonly encoding: CsvEncoding
}

/**
 * Decodes a file by its byte order mark. Without one the file is UTF-8, or else Windows-1251, the CSV encoding of
 * spreadsheets where Cyrillic is written.
 *
 * @throws {HttpError} 400 csv-not-text
 */
export function decodeCsv(bytes: Uint8Array): DecodedCsv {
  const [label, encoding] = encodingOf(bytes)
  try {
    return { text: new TextDecoder(label, { fatal: true }).decode(bytes), encoding }
  } catch {
    throw notText()
  }
}

function encodingOf(bytes: Uint8Array): readonly [label: string, CsvEncoding] {
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return ['utf-16le', 'UTF-16']
  if (first === 0xfe && second === 0xff) return ['utf-16be', 'UTF-16']
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf
  if (hasMark || isUtf8(bytes)) return ['utf-8', 'UTF-8']
  if (isBinary(bytes) || isBrokenUtf8(bytes)) throw notText()
  return ['windows-1251', 'Windows-1251']
}

/** Returns true if the bytes contain a NUL, or the only value that is no character of Windows-1251. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0) || bytes.includes(0x98)
}

/**
 * Returns true for truncated or damaged UTF-8: most of its characters beyond ASCII are valid. In Windows-1251 few are.
 */
function isBrokenUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes)
  const broken = text.match(/\ufffd/g)?.length ?? 0
  const whole = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0
  return whole > broken
}

function notText(): HttpError {
  const message = 'The file is no text in UTF-8, UTF-16 or Windows-1251. Save it as CSV in UTF-8.'
  return new HttpError(400, message, { code: 'csv-not-text' })
}
