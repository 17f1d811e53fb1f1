/** The table of log events in docs/operate.md: its texts and fields are those of the code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/^(?:ui|client|web|cli)\b/.test(path))
  .map((path) => readFileSync(join('src', path), 'utf8'))

const TABLE =
  /<!-- table: log events -->\n([\s\S]*?)<!-- end -->/.exec(readFileSync('docs/operate.md', 'utf8'))?.[1] ??
  ''

const ROWS = TABLE.split('\n')
  .slice(2)
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, text = '', level = '', fields = '']) => ({
    text: text.replaceAll('`', ''),
    levels: level.split(', '),
    fields: [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
  }))

test('log events: the table → has its rows', () => {
  expect(ROWS.length).toBeGreaterThan(20)
})

test.each(ROWS)(
  'log events: $text → a text of the code, its fields beside it',
  ({ text, levels, fields }) => {
    // An ellipsis stands for what a line inserts.
    const parts = text.split('…').map((part) => part.replace('WAYBILL_', ''))
    const sources = SOURCES.filter((source) => parts.every((part) => source.includes(part)))
    expect(sources).not.toEqual([])
    const all = sources.join('\n')
    for (const field of fields) expect(all).toContain(field)
    expect(levels.every((level) => /^(?:debug|info|warn|error)$/.test(level))).toBe(true)
  },
)
