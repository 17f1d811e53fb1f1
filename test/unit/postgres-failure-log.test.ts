/** The failure log writes a line about each failure of the PostgreSQL driver that no other line reports. */
import { expect, test } from 'vitest'
import { failureLog } from '../../src/store/postgres/nodes/failure-log.ts'
import { SkippedChange } from '../../src/store/postgres/nodes/journal.ts'

const ROW = {
  ...{
    seq: 7,
    origin: 1,
    kind: 'message',
    message_id: 1,
    tmp_id: null,
    until_ms: null,
    status: 2,
    cause: 99,
  },
  ...{ subject: 'pump', producer_id: null, content: null, has_own_limit: null },
}

function logOf() {
  const lines: object[] = []
  let nowMs = 0
  const report = failureLog({
    log: { warn: (fields, msg) => void lines.push({ ...fields, msg }) },
    nowMs: () => nowMs,
  })
  const advance = (ms: number) => {
    nowMs += ms
  }
  return { lines, report, advance }
}

test('failure log: a change was skipped → a line with its kind, its number and the error', () => {
  const { lines, report } = logOf()
  const cause = new Error('unknown number')
  report(new SkippedChange(ROW, cause))
  expect(lines).toMatchObject([{ code: 'change-skipped', kind: 'message', seq: 7, err: cause }])
})

test('failure log: the database does not answer → no line, since the storage has its own', () => {
  const { lines, report } = logOf()
  report(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
  expect(lines).toEqual([])
})

test('failure log: PostgreSQL refuses a task again and again → a line a minute', () => {
  const { lines, report, advance } = logOf()
  const refused = () => report(Object.assign(new Error('permission denied'), { code: '42501' }))
  refused()
  advance(59_000)
  refused()
  expect(lines).toMatchObject([{ code: 'storage-task' }])
  advance(1_000)
  refused()
  expect(lines).toHaveLength(2)
})
