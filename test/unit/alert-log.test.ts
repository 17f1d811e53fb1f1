/** The log lines of alerts. */
import { expect, test } from 'vitest'
import { AlertLog } from '../../src/broker/views/alert-log.ts'
import type { Alert } from '../../src/broker/views/alerts.ts'

const NONE = { sinceMs: null, deviceId: null, messageId: null, address: null, limit: null, unit: null }

/** Reads these alerts one after the other. Returns the lines of each reading. */
async function linesOf(
  readings: readonly (readonly Alert[] | Error)[],
  begun?: readonly Alert['kind'][],
): Promise<unknown[][]> {
  const lines: unknown[][] = []
  let at = 0
  const write = (level: string) => (fields: { kind?: string; value?: number }) =>
    lines[at]?.push([level, fields.kind, fields.value])
  const alerts = new AlertLog({
    ...(begun && { begun }),
    find: async () => {
      const found = readings[at] as readonly Alert[] | Error
      if (found instanceof Error) throw found
      return found
    },
    log: { info: write('info'), warn: write('warn'), error: write('error') },
  })
  for (at = 0; at < readings.length; at++) {
    lines.push([])
    await alerts.read()
  }
  return lines
}

test('alert log: an alert begins, stays with another value, ends → one line at its beginning, one at its end', async () => {
  const parked = (value: number, messageId: number): Alert => ({ ...NONE, kind: 'PARKED', value, messageId })
  const deaf: Alert = { ...NONE, kind: 'DEVICE_DEAF', deviceId: 'pump', value: null }
  expect(await linesOf([[], [parked(1, 5)], [parked(2, 5), deaf], [parked(1, 8), deaf], [deaf], []])).toEqual(
    [
      [],
      [['warn', 'PARKED', 1]],
      [['warn', 'DEVICE_DEAF', null]],
      [],
      [['info', 'PARKED', 1]],
      [['info', 'DEVICE_DEAF', null]],
    ],
  )
})

test('alert log: the alerts cannot be read → one error line while it lasts, no alert ends', async () => {
  const full: Alert = { ...NONE, kind: 'QUEUE_NEARLY_FULL', deviceId: 'pump', value: 8 }
  expect(await linesOf([[full], new Error('no disk'), new Error('no disk'), [full]])).toEqual([
    [['warn', 'QUEUE_NEARLY_FULL', 8]],
    [['error', undefined, undefined]],
    [],
    [],
  ])
})

test('alert log: the beginning was logged at the start → one line at the end, and at a later beginning', async () => {
  const open: Alert = { ...NONE, kind: 'QUEUES_OPEN', deviceId: null, value: 2 }
  expect(await linesOf([[open], [], [open]], ['QUEUES_OPEN'])).toEqual([
    [],
    [['info', 'QUEUES_OPEN', 2]],
    [['warn', 'QUEUES_OPEN', 2]],
  ])
})
