/**
 * Loaded into a server before its own code (`node --import`): measures how long the event loop stands. At each SIGUSR2 it writes the
 * longest stand since the signal before, in milliseconds, as a further line of the file LOOP_FILE.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('SIGUSR2', () => {
    appendFileSync(process.env.LOOP_FILE, `${delay.max / 1e6}\n`)
    delay.reset()
  })
}
