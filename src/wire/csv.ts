/** Writes CSV (RFC 4180) that spreadsheets show as text. Knows no columns. */
import { stringify } from 'csv-stringify/sync'

/** Returns rows as CSV. */
export function csvText(rows: readonly (readonly unknown[])[]): string {
  return stringify(rows as unknown[][], { record_delimiter: 'windows' })
}

/** Puts an apostrophe in front of a formula, so that spreadsheets show it as text. {@link withoutGuard} removes it. */
export function withGuard(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

export function withoutGuard(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
