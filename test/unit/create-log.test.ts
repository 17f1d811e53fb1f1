/** The lines of the log: errors with their causes. */
import { expect, test } from 'vitest'
import { createLog } from '../../src/process/create-log.ts'

test.each([
  ['an error', (error: Error) => error],
  ['a frozen error', (error: Error) => Object.freeze(error)],
])('%s with a cause → both are in the line', async (_, made) => {
  const lines: string[] = []
  const log = await createLog('info', { write: (line) => void lines.push(line) })
  log.error({ err: made(new Error('no pump', { cause: new Error('no power') })) }, 'failed')
  const { err, msg } = JSON.parse(lines[0] as string) as { err: { stack: string }; msg: string }
  expect(msg).toBe('failed')
  expect(err.stack).toContain('no pump')
  expect(err.stack).toContain('no power')
})
