/** Formats rows as CSV (RFC 4180). */

type Cell = string | number | null | undefined

/** Returns rows as CSV. A text that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
}

function cellOf(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const text = typeof cell === 'string' && /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
