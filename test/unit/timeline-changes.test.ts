/** The changes and attempts of a message, from what the storage keeps beside its record. */
import { describe, expect, test } from 'vitest'
import type { Attempt, StoredReport } from '../../src/broker/contract/message-log.ts'
import { attemptsOf, changesOf } from '../../src/broker/views/timeline.ts'
import type { MessageRecord } from '../../src/broker/vocabulary/message.ts'
import { NO_REPORT_TEXTS } from '../../src/broker/vocabulary/report-table.ts'

const RECORD: MessageRecord = {
  ...{ id: 7, deviceId: 'pump', command: 'go', status: 'NOT_DELIVERED', guarantee: 'RECEIPT_CONFIRMATION' },
  ...{ createdAtMs: 1, deliveredAtMs: null, correlationId: null, producerId: null, deliveredError: false },
  ...{ senderId: 'shop', changedAtMs: 1, brokenAtMs: null, deliveredBy: null, changedBy: null },
  ...{ supersededBy: null, cause: null, data: '{}' },
}
const REPORT: StoredReport = {
  ...NO_REPORT_TEXTS,
  ...{ result: null, resultDropped: false, lateStatus: null, lateAtMs: null, lateReason: null },
}
const NOTHING = { report: null, changes: [] }
const parked = { atMs: 5, status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', by: null } as const
const replayed = { atMs: 6, status: 'NOT_DELIVERED', cause: 'REPLAYED', by: 'admin' } as const
const shown = (changes: ReturnType<typeof changesOf>) =>
  changes.map(({ atMs, status, cause, by }) => [atMs, status, cause, by])

describe('changes', () => {
  test('parked, with and without a stored change → listed once', () => {
    const record = { ...RECORD, status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED', changedAtMs: 5 } as const
    const expected = [
      [1, 'NOT_DELIVERED', 'STORED', 'shop'],
      [5, 'UNKNOWN', 'NOT_ACKNOWLEDGED', null],
    ]
    expect(shown(changesOf(record, { report: null, changes: [parked] }))).toEqual(expected)
    expect(shown(changesOf(record, NOTHING))).toEqual(expected)
  })

  test('parked, replayed, completed → all in order', () => {
    const record = { ...RECORD, status: 'COMPLETED', deliveredAtMs: 9, changedAtMs: 9 } as const
    expect(shown(changesOf(record, { report: null, changes: [parked, replayed] }))).toEqual([
      [1, 'NOT_DELIVERED', 'STORED', 'shop'],
      [5, 'UNKNOWN', 'NOT_ACKNOWLEDGED', null],
      [6, 'NOT_DELIVERED', 'REPLAYED', 'admin'],
      [9, 'COMPLETED', 'ACKNOWLEDGED', 'pump'],
    ])
  })

  test('delivered, not finished, completed → all in order', () => {
    const notFinished = { atMs: 5, status: 'UNKNOWN', cause: 'NOT_FINISHED', by: null } as const
    const record = { ...RECORD, status: 'COMPLETED', deliveredAtMs: 3, changedAtMs: 9 } as const
    expect(shown(changesOf(record, { report: null, changes: [notFinished] }))).toEqual([
      [1, 'NOT_DELIVERED', 'STORED', 'shop'],
      [3, 'DELIVERED', 'ACKNOWLEDGED', 'pump'],
      [5, 'UNKNOWN', 'NOT_FINISHED', null],
      [9, 'COMPLETED', 'ACKNOWLEDGED', 'pump'],
    ])
  })

  test('late report → the last entry, whatever its time', () => {
    const record = {
      ...RECORD,
      status: 'CANCELLED',
      cause: 'CANCELLED',
      changedAtMs: 5,
      changedBy: 'shop',
    } as const
    const report = { ...REPORT, lateStatus: 'COMPLETED', lateAtMs: 4 } as const
    expect(shown(changesOf(record, { report, changes: [] })).slice(1)).toEqual([
      [5, 'CANCELLED', 'CANCELLED', 'shop'],
      [4, 'COMPLETED', 'LATE', 'pump'],
    ])
  })
})

describe('attempts', () => {
  const attempt = (number: number, outcome: Attempt['outcome']): Attempt => ({
    ...{ number, atMs: number, transport: 'MQTT', outcome, refused: null },
  })
  const outcomes = (record: MessageRecord, ...stored: Attempt['outcome'][]) =>
    attemptsOf(
      record,
      stored.map((outcome, i) => attempt(i + 1, outcome)),
      50,
    ).map(({ outcome, untilMs }) => (untilMs === null ? outcome : [outcome, untilMs]))

  test('pending → the last one is open, with its end', () => {
    expect(outcomes(RECORD, 'TIMEOUT', 'CONNECTION', 'BUSY', null)).toEqual([
      ...['NOT_ACKNOWLEDGED', 'NOT_ACKNOWLEDGED', 'BUSY'],
      ['OPEN', 50],
    ])
    expect(outcomes(RECORD, 'BUSY')).toEqual(['BUSY'])
  })

  test('acknowledged during or after the last attempt → ACKNOWLEDGED', () => {
    const done = { ...RECORD, status: 'COMPLETED', deliveredAtMs: 9, changedAtMs: 9 } as const
    for (const last of [null, 'TIMEOUT', 'BUSY'] as const) {
      expect(outcomes(done, 'TIMEOUT', last)).toEqual(['NOT_ACKNOWLEDGED', 'ACKNOWLEDGED'])
    }
  })

  test('parked or cancelled by force → NOT_ACKNOWLEDGED', () => {
    expect(outcomes({ ...RECORD, status: 'UNKNOWN', cause: 'NOT_ACKNOWLEDGED' }, 'TIMEOUT')).toEqual([
      'NOT_ACKNOWLEDGED',
    ])
    expect(outcomes({ ...RECORD, status: 'CANCELLED', cause: 'CANCELLED' }, null)).toEqual([
      'NOT_ACKNOWLEDGED',
    ])
  })

  test('not finished → the attempt was acknowledged', () => {
    const record = { ...RECORD, status: 'UNKNOWN', cause: 'NOT_FINISHED', deliveredAtMs: 3 } as const
    expect(outcomes(record, null)).toEqual(['ACKNOWLEDGED'])
  })
})
