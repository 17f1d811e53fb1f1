/** Aligns rows of text in columns, and cuts long cells to the width of the terminal. Knows nothing of messages. */
import stringWidth from 'string-width'
import { printable, type Styled, styled, type Terminal } from './text.ts'

export type Cell = string | Styled

export interface Column<Item> {
  readonly heading: string
  readonly cell: (item: Item) => Cell
  /** True allows cutting the cells on a narrow terminal. */
  readonly isLong?: true
}

const GAP = '  '
/** Minimum width of a cut column. */
const LEAST_WIDTH = 8

/** Formats the items of a list, which may arrive in parts. */
export class Table<Item> {
  readonly #columns: readonly Column<Item>[]
  readonly #terminal: Terminal | undefined
  #widths: number[] = []

  /** @param terminal undefined if the output is not a terminal, so nothing is cut or coloured */
  constructor(columns: readonly Column<Item>[], terminal: Terminal | undefined) {
    this.#columns = columns
    this.#terminal = terminal
  }

  /** Returns the lines of the next items; the first part begins with the headings. A column never becomes narrower. */
  lines(items: readonly Item[]): string[] {
    const rows: Cell[][] = items.map((item) => this.#columns.map(({ cell }) => cell(item)))
    if (this.#widths.length === 0) {
      rows.unshift(this.#columns.map(({ heading }) => ({ text: heading, style: 'bold' as const })))
    }
    const natural = this.#columns.map((_, i) => Math.max(...rows.map((row) => widthOf(row[i] as Cell))))
    this.#widths = this.#fitted(natural.map((width, i) => Math.max(width, this.#widths[i] ?? 0)))
    return rows.map((row) => this.#line(row))
  }

  #line(row: readonly Cell[]): string {
    const last = row.findLastIndex((cell) => textOf(cell) !== '')
    const cells = row.slice(0, last + 1).map((cell, i) => {
      const width = this.#widths[i] as number
      const text = this.#terminal ? cut(textOf(cell), width) : textOf(cell)
      const shown = typeof cell === 'string' ? text : styled(text, cell.style, this.#terminal)
      return i === last ? shown : shown + ' '.repeat(Math.max(0, width - stringWidth(text)))
    })
    return cells.join(GAP)
  }

  /** Narrows the widest of the long columns until the table fits into the terminal. */
  #fitted(widths: readonly number[]): number[] {
    const fitted = [...widths]
    const room = this.#terminal?.columns ?? Number.POSITIVE_INFINITY
    const total = (): number => fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1))
    while (total() > room) {
      const long = fitted.filter((width, i) => this.#columns[i]?.isLong && width > LEAST_WIDTH)
      if (long.length === 0) break
      const widest = Math.max(...long)
      const at = fitted.findIndex((width, i) => width === widest && this.#columns[i]?.isLong)
      fitted[at] = widest - 1
    }
    return fitted
  }
}

/** Returns names and values in two columns, one pair per line. */
export function pairLines(pairs: readonly (readonly [string, Cell])[], terminal?: Terminal): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, value]) => {
    const style = typeof value === 'string' ? 'reset' : value.style
    return `${name.padEnd(width)}${GAP}${style === 'reset' ? textOf(value) : styled(textOf(value), style, terminal)}`
  })
}

const textOf = (cell: Cell): string => printable(typeof cell === 'string' ? cell : cell.text)
const widthOf = (cell: Cell): number => stringWidth(textOf(cell))

const graphemes = new Intl.Segmenter()

/** Cuts a text to a width, and marks the cut by an ellipsis. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
