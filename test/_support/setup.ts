/** Runs before each test file: clean-up, checks of running servers, and the number of property runs. */
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, inject, vi } from 'vitest'
import { connectionOptions } from '../../src/cli/connection.ts'
import { SETTINGS } from '../../src/config/table.ts'
import { cleanUpFile } from './cleanup.ts'
import { checkRunningServers } from './in-process.ts'
import { runs } from './runs.ts'
import { OVER_POSTGRES } from './shared-database.ts'
import { whySqliteOnly } from './sqlite-only.ts'

/** Runs of a property in the fast tier if its test gives no number. */
const DEFAULT_RUNS = 30

// Commands that run in the process of the test read its environment, which must not be that of the user.
const variables = [...SETTINGS.map(({ env }) => env), ...connectionOptions().map(({ envVar }) => envVar)]
for (const name of ['WAYBILL_CONFIG', ...variables]) {
  if (name !== undefined) delete process.env[name]
}
process.env.XDG_CONFIG_HOME = join(inject('temporaryRoot'), 'config')

const seed = inject('seed')
fc.configureGlobal({ numRuns: runs(DEFAULT_RUNS), ...(seed !== null && { seed }) })
if (OVER_POSTGRES)
  beforeEach(({ task, skip }) => {
    const why = whySqliteOnly(task.file.filepath, task.name)
    skip(why !== null, why ?? '')
  })
afterEach(() => checkRunningServers())
afterAll(() => cleanUpFile())

/** Globals that `vi.useFakeTimers()` replaces. */
const TIMERS = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
] as const

/** Clocks and timers of the worker before its first file. */
interface Worker {
  realTimers?: PropertyDescriptorMap
}
const worker = globalThis as Worker
worker.realTimers ??= Object.fromEntries(
  [...TIMERS, 'Date', 'performance'].map((name) => {
    return [name, Object.getOwnPropertyDescriptor(globalThis, name) as PropertyDescriptor]
  }),
)
// In a worker that runs several files, a held clock of one file may come back after its last hook. A file with a real
// timer would wait for ever.
Object.defineProperties(globalThis, worker.realTimers)
afterAll(() => void vi.useRealTimers())
