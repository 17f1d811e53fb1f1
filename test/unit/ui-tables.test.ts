/** The pure parts of the tables of the admin page: live rows, cut ids, columns that fit, ranges of a selection. */
import { describe, expect, test } from 'vitest'
import { cutIds } from '../../src/ui/parts/cut-ids.ts'
import { chosenColumns, fittingColumns } from '../../src/ui/parts/table/fitting.ts'
import { type LiveRows, nextRows } from '../../src/ui/parts/table/live-rows.ts'
import { between } from '../../src/ui/state/ranges.ts'

describe('live rows', () => {
  const next = (before: LiveRows<string> | null, rows: string, isHeld = false, listKey = 'a') =>
    nextRows(before, { listKey, rows: rows.split(''), keyOf: (row) => row, isHeld })
  const keys = ({ shown }: LiveRows<string>) => shown.map((each) => (each.isGone ? `-${each.key}` : each.key))
  const first = next(null, 'cba')

  test('not held: rows come and go, new ones are fresh', () => {
    const after = next(first, 'dca')
    expect(keys(after)).toEqual(['d', 'c', 'a'])
    expect(after.shown.map(({ isFresh }) => isFresh)).toEqual([true, false, false])
    expect(first.shown.some(({ isFresh }) => isFresh)).toBe(false)
  })

  test('a row without a change → the same object, which is not rendered again', () => {
    const after = next(first, 'dcba')
    expect(after.shown.slice(1).map((row, i) => row === first.shown[i])).toEqual([true, true, true])
    const held = next(after, 'dcb', true)
    expect(next(held, 'edcb', true).shown.map((row, i) => row === held.shown[i])).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  test('a crowd of rows → none is highlighted', () => {
    const after = next(first, '0123456789dcba')
    expect(after.shown.some(({ isFresh }) => isFresh)).toBe(false)
  })

  test('more rows than wanted → the oldest are left out, unless the rows are held', () => {
    const most = (before: LiveRows<string> | null, rows: string, isHeld: boolean) =>
      nextRows(before, { listKey: 'a', rows: rows.split(''), keyOf: (row) => row, isHeld, most: 3 })
    const after = most(first, 'edcba', false)
    expect(keys(after)).toEqual(['e', 'd', 'c'])
    const held = most(after, 'fedcba', true)
    expect([keys(held), held.held]).toEqual([['e', 'd', 'c'], 1])
  })

  test('held: rows stay in place, those that ended are marked, new ones are counted', () => {
    const after = next(first, 'edca', true)
    expect([keys(after), after.held]).toEqual([['c', '-b', 'a'], 2])
    const released = next(after, 'edca')
    expect([keys(released), released.held]).toEqual([['e', 'd', 'c', 'a'], 0])
  })

  test('held: a row that comes back is no longer marked', () => {
    expect(keys(next(next(first, 'ca', true), 'cba', true))).toEqual(['c', 'b', 'a'])
  })

  test('held: rows after the last one, which the user asked for, are appended', () => {
    const after = next(first, 'dcba98', true)
    expect([keys(after), after.held]).toEqual([['c', 'b', 'a', '9', '8'], 1])
    expect(after.shown.some(({ isFresh }) => isFresh)).toBe(false)
  })

  test('held: none of the rows is left → all are marked, the new ones are counted', () => {
    const after = next(first, 'zy', true)
    expect([keys(after), after.held]).toEqual([['-c', '-b', '-a'], 2])
  })

  test('held: other filters → the rows are replaced', () => {
    expect(keys(next(first, 'zy', true, 'b'))).toEqual(['z', 'y'])
    expect(keys(next(next(null, '', false), 'zy', true))).toEqual(['z', 'y'])
  })
})

describe('cut ids', () => {
  const looks = (...ids: string[]) => {
    const cuts = cutIds(ids)
    return ids.map((id) => {
      const { head = '', tail = '' } = cuts.get(id) ?? {}
      return tail === '' ? head : `${head}…${tail}`
    })
  }

  test('up to 28 characters → whole, also in other letters', () => {
    expect(looks('pump-1', 'x'.repeat(28), 'насос/7')).toEqual(['pump-1', 'x'.repeat(28), 'насос/7'])
  })

  test('a long id → its middle is cut', () => {
    expect(looks(`very-long-device-${'x'.repeat(90)}-0009381`)).toEqual(['very-long-dev…0009381'])
  })

  test('the same ends → widened until they differ, the others stay', () => {
    const id = (middle: string) => `very-long-device-${middle}${'x'.repeat(80)}-0009381`
    const [first, second, third] = looks(id('1'), id('2'), `other-${'y'.repeat(100)}`)
    expect(first).not.toBe(second)
    expect(first?.length).toBeLessThan(40)
    expect(third).toBe('other-yyyyyyy…yyyyyyy')
  })

  test('ids that differ in the very middle → whole in the end', () => {
    const id = (middle: string) => `${'x'.repeat(20)}${middle}${'x'.repeat(20)}`
    expect(new Set(looks(id('1'), id('2'))).size).toBe(2)
  })
})

describe('columns', () => {
  const columns = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((key) => ({
    key,
    isOptional: key === 'k',
  }))
  const shown = (columns: readonly { key: string }[]) => columns.map(({ key }) => key).join('')

  test('1000 pixels → all; less → the last ones leave; 640 → five', () => {
    expect(fittingColumns(columns, 1_000)).toHaveLength(11)
    expect(shown(fittingColumns(columns, 999))).toBe('abcdefghi')
    expect(shown(fittingColumns(columns, 712))).toBe('abcdef')
    expect(shown(fittingColumns(columns, 640))).toBe('abcde')
  })

  test('no choice → without the optional ones; a choice → as chosen, the first always', () => {
    expect(shown(chosenColumns(columns, null))).toBe('abcdefghij')
    expect(shown(chosenColumns(columns, ['a', 'j']))).toBe('abcdefghik')
  })
})

test('selection: a range goes in either direction; an anchor that is gone counts for nothing', () => {
  const order = ['e', 'd', 'c', 'b', 'a']
  expect(between('d', 'b', order)).toEqual(['d', 'c', 'b'])
  expect(between('b', 'd', order)).toEqual(['d', 'c', 'b'])
  expect(between('z', 'd', order)).toEqual(['d'])
  expect(between(null, 'd', order)).toEqual(['d'])
})
