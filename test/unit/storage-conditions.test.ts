/** Log lines about a storage that refuses writes. */
import { expect, test } from 'vitest'
import { StorageConditions } from '../../src/broker/engine/storage-conditions.ts'
import { HeldClock } from '../_support/clock.ts'

function setUp() {
  const lines: string[] = []
  const clock = new HeldClock()
  const write = (fields: object, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`)
  return { lines, clock, conditions: new StorageConditions({ clock, log: { info: write, error: write } }) }
}

test('a shared database: silent for more than a second → one line; it answers → one line with seconds and refusals', () => {
  const { lines, clock, conditions } = setUp()
  conditions.unanswered()
  clock.advance(500)
  conditions.unanswered()
  expect(lines).toEqual([])
  clock.advance(600)
  conditions.unanswered()
  conditions.refused('storage-away', 2)
  clock.advance(7_000)
  conditions.unanswered()
  conditions.refused('storage-away', 1)
  conditions.stored()
  conditions.stored()
  expect(lines).toEqual([
    expect.stringMatching(/^\{"code":"storage-away"\} PostgreSQL does not answer/),
    expect.stringMatching(/^\{"code":"storage-away","seconds":8,"refused":3\} PostgreSQL answers again/),
  ])
})

test('a shared database: one lost connection → no line', () => {
  const { lines, clock, conditions } = setUp()
  conditions.unanswered()
  conditions.stored()
  clock.advance(5_000)
  conditions.unanswered()
  conditions.stored()
  expect(lines).toEqual([])
})
