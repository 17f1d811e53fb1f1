/** Tests how the page prepares columns for a chart: the end of the scale, gaps, and selections. */
import { describe, expect, test } from 'vitest'
import { clipAt, gapsOf, selectedRange, stepAt, topOf } from '../../src/ui/parts/chart-data.ts'

const MINUTE = 60_000
const steps = { fromMs: 10 * MINUTE, stepMs: MINUTE }

describe('charts', () => {
  test('scale: one step of a hundred is far above the others → it ends at 1.5 times the usual top', () => {
    const usual = Array.from({ length: 100 }, (_, i) => (i === 50 ? 900 : 10))
    expect(clipAt([usual, usual.map(() => 20)])).toBe(30)
  })

  test('scale: high steps that are not rare, hardly higher, or all there is → no end', () => {
    expect(clipAt([Array.from({ length: 100 }, (_, i) => (i < 5 ? 900 : 10))])).toBeNull()
    expect(clipAt([Array.from({ length: 100 }, (_, i) => (i === 5 ? 14 : 10))])).toBeNull()
    expect(clipAt([[900, ...Array(99).fill(0)]])).toBeNull()
    expect(clipAt([[4, ...Array(99).fill(1)]])).toBeNull()
    expect(clipAt([])).toBeNull()
    expect(clipAt([[null, null]])).toBeNull()
  })

  test('gaps: steps in which no column has a value → runs; a zero is no gap', () => {
    expect(
      gapsOf([
        [null, 0, null, null],
        [null, null, null, null],
      ]),
    ).toEqual([
      [0, 1],
      [2, 4],
    ])
    expect(
      topOf(
        [
          [null, 0],
          [null, 3],
        ],
        1,
      ),
    ).toBe(3)
    expect(topOf([[null]], 0)).toBeNull()
  })

  test('a time, a selection → whole steps within the chart', () => {
    expect(stepAt(12.9 * MINUTE, steps, 5)).toBe(2)
    expect([stepAt(0, steps, 5), stepAt(99 * MINUTE, steps, 5)]).toEqual([0, 4])
    expect(selectedRange(11.5 * MINUTE, 12.2 * MINUTE, steps)).toEqual({
      fromMs: 11 * MINUTE,
      toMs: 13 * MINUTE,
    })
    expect(selectedRange(11 * MINUTE, 11 * MINUTE, steps)).toBeNull()
  })
})
