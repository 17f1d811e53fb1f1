/**
 * Starts the product in the process of the test: its settings come from the test alone, its log stays in memory. After
 * a test a server must have logged no error, and the check behind `waybill db check` must find nothing in its
 * directory.
 */
import { join } from 'node:path'
import { readSettings, type Sources } from '../../src/config/read.ts'
import { type Replaced, start } from '../../src/main.ts'
import { createLog } from '../../src/process/create-log.ts'
import { checkDatabase } from '../../src/store/sqlite/database/backup.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database/directory.ts'
import { whenDone } from './cleanup.ts'
import { type LogLine, LogLines } from './log-lines.ts'
import type { Ended, Server } from './server.ts'
import { storeOf } from './shared-database.ts'

export interface InProcessOptions {
  readonly flags?: Sources['flags']
  readonly env?: Readonly<Record<string, string>>
  readonly dataDir: string
  /** True if the test provokes errors or damage, so that nothing is checked after it. */
  readonly unchecked?: boolean
  readonly replaced?: Replaced
}

/** Time that `bin/waybill.ts` gives running requests after a signal. */
const GRACE_MS = 3_500

/** Servers that are checked after each test, with the lines that were reported already. */
const running = new Map<LogLines, Set<LogLine>>()

/** Starts a server on a free port, without MQTT if `flags` name no address for it. */
export async function startInProcess(options: InProcessOptions): Promise<Server> {
  const { flags, env = {}, dataDir, unchecked = false, replaced } = options
  const settings = readSettings({
    flags: {
      ...{ host: '127.0.0.1:0', mqttAddress: 'off', dataDir, store: storeOf(dataDir) },
      // The PostgreSQL of most tests runs without fsync.
      allowDataLoss: true,
      ...flags,
    },
    env,
  })
  const log = new LogLines()
  const { url, close } = await start(
    settings,
    await createLog(settings.logLevel, { write: (text) => log.add(text) }),
    replaced,
  )
  if (!unchecked) running.set(log, new Set())
  let ended: Promise<Ended> | null = null
  const end = (graceMs: number, signal: string): Promise<Ended> => {
    ended ??= close(graceMs, signal).then(() => ({ code: 0, signal: null, stdout: '', stderr: '' }))
    return ended
  }
  whenDone(async () => {
    await end(0, 'end of the test')
    if (unchecked) return
    checkServer(log)
    running.delete(log)
    if (settings.store === null) checkDatabase(join(dataDir, DATABASE_FILE))
  })
  return {
    url,
    log: log.lines,
    logged: (fits) => log.next(fits),
    kill: (signal = 'SIGTERM') => {
      if (signal === 'SIGKILL') throw new Error('Only a process can be killed: use BrokerUnderTest.spawn.')
      return end(GRACE_MS, signal)
    },
  }
}

/** Checks the running servers. The setup calls it after each test. @throws {Error} when a server logged an error */
export function checkRunningServers(): void {
  for (const log of running.keys()) checkServer(log)
}

function checkServer(log: LogLines): void {
  const reported = running.get(log) ?? new Set()
  const unexpected = log.lines.filter(
    (line) =>
      (/^(?:error|fatal)$/.test(line.level) || /unexpected error/.test(line.msg)) && !reported.has(line),
  )
  for (const line of unexpected) reported.add(line)
  if (unexpected.length > 0) {
    throw new Error(`The server logged errors:\n${unexpected.map((line) => JSON.stringify(line)).join('\n')}`)
  }
}
