/** Prints the items of a list as they arrive: as a table for people, as lines of JSON for programs. */
import { type Column, Table } from './table.ts'
import type { Terminal } from './text.ts'

export type Items<Item> = AsyncIterable<Item> | Iterable<Item>

export interface ListOutput {
  readonly out: (text: string) => void
  readonly note: (text: string) => void
  readonly isJson: boolean
  readonly none: string
  readonly terminal: Terminal | undefined
}

/** Rows that are aligned together. A long list is printed in parts, so that its first rows appear at once. */
const ROWS = 500

export async function printList<Item>(
  items: Items<Item>,
  columns: readonly Column<Item>[],
  { out, note, isJson, none, terminal }: ListOutput,
): Promise<void> {
  const table = new Table(columns, terminal)
  let isEmpty = true
  let rows: Item[] = []
  const flush = (): void => {
    if (rows.length > 0) out(`${table.lines(rows).join('\n')}\n`)
    rows = []
  }
  for await (const item of items) {
    isEmpty = false
    if (isJson) out(`${JSON.stringify(item)}\n`)
    else if (rows.push(item) === ROWS) flush()
  }
  flush()
  if (isEmpty && !isJson) note(none)
}
