/** Histograms of durations: a plain array of buckets. */
import { expect, test } from 'vitest'
import { Durations } from '../../src/broker/vocabulary/durations.ts'

test('observe: a duration → the first bucket whose bound is not below it; beyond all bounds → the last', () => {
  const durations = new Durations([0.1, 1])
  for (const seconds of [0, 0.1, 0.11, 1, 1.5, 100]) durations.observe(seconds)
  expect(durations.counts).toEqual([2, 2, 2])
  expect([durations.count, durations.sum]).toEqual([6, 102.71])
})

test('observe: a clock that was set back → counts as no time', () => {
  const durations = new Durations([0.1])
  durations.observe(-5)
  expect([durations.counts, durations.sum]).toEqual([[1, 0], 0])
})
