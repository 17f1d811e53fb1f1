/** Answers of devices that the server cannot use: what is logged, and which devices cause an alert. */
import { expect, test } from 'vitest'
import { RefusedAnswers } from '../../src/broker/engine/refused-answers.ts'
import { HeldClock } from '../_support/clock.ts'

function kept() {
  const lines: [object, string][] = []
  const clock = new HeldClock()
  const answers = new RefusedAnswers({ info: (fields, text) => void lines.push([fields, text]) }, clock)
  return { lines, clock, answers }
}

test('refused answers: 25 in a second → ten lines, then their number', () => {
  const { lines, clock, answers } = kept()
  for (let n = 0; n < 25; n++) answers.record('pump', 7, 'no JSON')
  expect(lines).toHaveLength(10)
  expect(lines[0]).toEqual([{ deviceId: 'pump', messageId: 7 }, 'answer refused: no JSON'])
  clock.advance(1_000)
  answers.record('pump', 7, 'no JSON')
  expect(lines.slice(10)).toMatchObject([
    [{ count: 15 }, 'more answers were refused'],
    [{ deviceId: 'pump' }, expect.any(String)],
  ])
  answers.close()
})

test('refused answers: in a row → the number by device; an acknowledgement begins again', () => {
  const { clock, answers } = kept()
  const beganMs = clock.wallMs()
  for (const deviceId of ['pump', 'valve', 'pump']) {
    answers.record(deviceId, 7, 'no JSON')
    clock.advance(10)
  }
  answers.record('pump', 8, 'no JSON')
  const pump = { deviceId: 'pump', messageId: 8, count: 3, sinceMs: beganMs, lastMs: beganMs + 30 }
  expect(answers.withCount(3, beganMs)).toEqual([pump])
  expect(answers.withCount(3, beganMs + 30)).toEqual([])
  answers.acknowledged('pump')
  answers.record('pump', 9, 'no JSON')
  expect(answers.withCount(1, beganMs)).toMatchObject([
    { deviceId: 'valve', count: 1 },
    { deviceId: 'pump', count: 1 },
  ])
})

test('refused answers: no message is in flight → a line, and no alert', () => {
  const { lines, answers } = kept()
  for (let n = 0; n < 3; n++) answers.record('pump', null, 'no JSON')
  expect(lines).toHaveLength(3)
  expect(answers.withCount(1, 0)).toEqual([])
})
