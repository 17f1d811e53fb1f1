/** Tables of the command line: alignment, width of the terminal, colours, and texts of other people. */
import { expect, test } from 'vitest'
import { type Column, pairLines, Table } from '../../src/cli/table.ts'
import { printable } from '../../src/cli/text.ts'

type Row = readonly [string, string, string]

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'ID', cell: ([id]) => id },
  { heading: 'DEVICE', cell: ([, device]) => device, isLong: true },
  { heading: 'STATUS', cell: ([, , status]) => ({ text: status, style: 'red' }) },
]

const lines = (columns: number | null, ...rows: Row[]): string[] =>
  new Table(COLUMNS, columns === null ? undefined : { columns, colors: false }).lines(rows)

test('no terminal → aligned, nothing is cut, no spaces at the end', () => {
  const long = 'x'.repeat(300)
  expect(lines(null, ['1', 'pump', 'DONE'], ['10', long, ''])).toEqual([
    `ID  DEVICE${' '.repeat(294)}  STATUS`,
    `1   pump${' '.repeat(296)}  DONE`,
    `10  ${long}`,
  ])
})

test('a narrow terminal → long columns are cut, others never', () => {
  expect(lines(24, ['1234567890', 'a-long-device', 'DONE'])).toEqual([
    'ID          DEVICE    STATUS',
    '1234567890  a-long-…  DONE',
  ])
})

test('wide characters → counted as two columns; never cut in half', () => {
  expect(lines(80, ['1', '水泵', 'DONE'], ['2', 'pump', 'DONE'])).toEqual([
    'ID  DEVICE  STATUS',
    '1   水泵    DONE',
    '2   pump    DONE',
  ])
  expect(lines(20, ['1', '水水水水水水水水', 'DONE'])[1]).toBe('1   水水水…   DONE')
  expect(lines(20, ['1', '👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀👩‍🚀', 'DONE'])[1]).toBe('1   👩‍🚀👩‍🚀👩‍🚀…   DONE')
})

test('several parts → the headings once; a column never becomes narrower', () => {
  const table = new Table(COLUMNS, undefined)
  expect(table.lines([['1', 'long-device', 'DONE']])).toHaveLength(2)
  expect(table.lines([['2', 'x', 'DONE']])).toEqual(['2   x            DONE'])
})

test('colours → only if the terminal has them', () => {
  const colored = new Table(COLUMNS, { columns: 80, colors: true }).lines([['1', 'x', 'DONE']])
  expect(colored[1]).toBe('1   x       \u001b[31mDONE\u001b[39m')
  expect(pairLines([['Status', { text: 'DONE', style: 'red' }]])).toEqual(['Status  DONE'])
})

test('control characters, and marks of direction → escaped', () => {
  expect(printable('a\u001b[31mb\r\n\u009b\u007f\u202e')).toBe(
    'a\\u001b[31mb\\u000d\\u000a\\u009b\\u007f\\u202e',
  )
  expect(printable('ünï 水 👩‍🚀')).toBe('ünï 水 👩‍🚀')
  expect(lines(null, ['1', '\u001b[2J', '\n'])[1]).toBe('1   \\u001b[2J  \\u000a')
})
