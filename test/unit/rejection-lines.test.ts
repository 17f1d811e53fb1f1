/** The log lines of refused logins, and their limit. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RejectionLines } from '../../src/broker/engine/rejection-lines.ts'
import { RejectionLog, type RejectionReason } from '../../src/broker/views/rejection-log.ts'

let lines: (readonly [fields: object, message: string])[]
let nowMs: number
let written: RejectionLines
let rejections: RejectionLog
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  lines = []
  nowMs = 0
  const log = { info: (fields: object, message: string) => lines.push([fields, message]) }
  written = new RejectionLines({ log, monotonicMs: () => nowMs })
  rejections = new RejectionLog(() => nowMs)
  rejections.onRecord((rejection) => written.write(rejection))
})
afterEach(() => vi.useRealTimers())

const refuse = (times: number, reason: RejectionReason = 'WRONG_CREDENTIALS', deviceId = 'lamp'): void => {
  for (let i = 0; i < times; i++) {
    const peer = { deviceId, clientId: null, address: '10.0.0.1', transport: 'REST' }
    rejections.record({ reason, message: 'the password is wrong', ...peer })
  }
}

const SUMMARY = 'more logins, tokens and connections were refused'

test('ten refused logins → a line each, with its fields', () => {
  refuse(10)
  expect(lines).toHaveLength(10)
  expect(lines[0]).toEqual([
    { reason: 'WRONG_CREDENTIALS', deviceId: 'lamp', address: '10.0.0.1', transport: 'REST' },
    'login refused: the password is wrong',
  ])
  written.close()
  expect(lines).toHaveLength(10)
})

test('1,000 in a second → ten lines, and one with the number of the others when the second ends', () => {
  refuse(1_000)
  expect(lines).toHaveLength(10)
  vi.advanceTimersByTime(1_000)
  expect(lines.slice(10)).toEqual([[{ count: 990 }, SUMMARY]])
  nowMs = 1_000
  refuse(1)
  expect(lines).toHaveLength(12)
})

test('a flood of three seconds, its timer late → eleven lines a second', () => {
  for (nowMs = 0; nowMs < 3_000; nowMs += 1_000) refuse(100)
  written.close()
  expect(lines).toHaveLength(33)
  expect(lines.filter(([, message]) => message === SUMMARY).map(([fields]) => fields)).toEqual(
    Array(3).fill({ count: 90 }),
  )
})

test('refused messages and topics → no line; a connection that was ended → a line', () => {
  refuse(5, 'MESSAGE_REFUSED')
  refuse(5, 'TOPIC_NOT_ALLOWED')
  refuse(1, 'TOO_SLOW')
  expect(lines.map(([, message]) => message)).toEqual(['connection ended: the password is wrong'])
})

test('a device id of 5,000 characters → cut in the line', () => {
  refuse(1, 'WRONG_CREDENTIALS', 'x'.repeat(5_000))
  expect(lines[0]?.[0]).toMatchObject({ deviceId: expect.stringMatching(/^x{1,256}…$/) })
})
