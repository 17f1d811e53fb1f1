/** Formats CSV (RFC 4180) that spreadsheets show as text. Knows no columns. */
import { stringify } from 'csv-stringify/sync'

export function csvText(rows: readonly (readonly unknown[])[]): string {
  return stringify(rows as unknown[][], { record_delimiter: 'windows' })
}

/**
 * Prefixes a formula with an apostrophe, so that spreadsheets show it as text. {@link withoutGuard} removes the
 * apostrophe.
 */
export function withGuard(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

export function withoutGuard(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
