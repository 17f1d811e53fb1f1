/** Points in time on the command line: durations before now, dates with and without a time zone. */
import { expect, test } from 'vitest'
import { duration, inUnits, lastTimeOfDay, localTime, pastTime } from '../../src/cli/times.ts'

const NOW = Date.UTC(2026, 10, 23, 12)
const HOUR = 3_600_000

test.each([
  ['30s', NOW - 30_000],
  ['15m', NOW - 15 * 60_000],
  ['2h', NOW - 2 * HOUR],
  ['7d', NOW - 7 * 24 * HOUR],
  ['1w', NOW - 7 * 24 * HOUR],
  ['0s', NOW],
  ['999999999w', 0],
  ['2026-01-31', new Date(2026, 0, 31).getTime()],
  ['2026-01-31T17:00', new Date(2026, 0, 31, 17).getTime()],
  ['2026-01-31 17:00:05', new Date(2026, 0, 31, 17, 0, 5).getTime()],
  ['2026-01-31T17:00Z', Date.UTC(2026, 0, 31, 17)],
  ['2026-01-31T17:00:00.250+01:00', Date.UTC(2026, 0, 31, 16, 0, 0, 250)],
  ['2024-02-29', new Date(2024, 1, 29).getTime()],
])('pastTime: %s → %d', (text, atMs) => {
  expect(pastTime(text, NOW)).toBe(atMs)
})

test.each([
  ...['', ' ', '2', 'h', '2 h', '-2h', '1.5h', '2y', 'yesterday', 'now', '2026', '2026-1-1', '2026-02-30'],
  ...['2026-13-01', '2026-01-31T25:00', '2026-01-31T17', '1900-01-01', '2026-01-31T17:00 CET', '31.01.2026'],
])('pastTime: %j → refused with the forms that are accepted', (text) => {
  expect(() => pastTime(text, NOW)).toThrow(/^Expected a time such as 2h \(before now\), 2026-01-31 or /)
})

test('duration: 90s, 2h → milliseconds; a bare number → refused', () => {
  expect([duration('90s'), duration('2h')]).toEqual([90_000, 2 * HOUR])
  expect(() => duration('90')).toThrow('Expected a duration, such as 30s, 15m, 2h or 7d.')
})

test('inUnits: the largest unit of which there are two', () => {
  const texts = [-1, 0, 1_999, 119_000, 120_000, 2 * HOUR - 1, 2 * HOUR, 48 * HOUR].map(inUnits)
  expect(texts).toEqual(['0s', '0s', '1s', '119s', '2m', '119m', '2h', '2d'])
})

test('localTime → a text that pastTime reads back', () => {
  expect(localTime(NOW)).toMatch(/^2026-11-2[234] \d\d:00:00$|^2026-11-2[234] \d\d:[134][05]:00$/)
  expect(pastTime(localTime(NOW), NOW)).toBe(NOW)
})

test('lastTimeOfDay: a time of day → the latest one; another text → null', () => {
  const noon = new Date(2026, 10, 23, 12, 0, 0, 0).getTime()
  expect(lastTimeOfDay('12:00', noon)).toBe(noon)
  expect(lastTimeOfDay('11:59', noon)).toBe(noon - 60_000)
  expect(lastTimeOfDay('20:00', noon)).toBe(new Date(2026, 10, 22, 20).getTime())
  expect(lastTimeOfDay('8:30', noon)).toBe(new Date(2026, 10, 23, 8, 30).getTime())
  for (const text of ['24:00', '12:60', '12', '12:00:00', '2h', ''])
    expect(lastTimeOfDay(text, noon)).toBeNull()
})
