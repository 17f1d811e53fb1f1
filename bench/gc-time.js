/**
 * Loaded into a server before its own code (`node --import`): keeps the time that the garbage collector has taken on the event loop,
 * in milliseconds, in the file GC_FILE.
 */
import { writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  let ms = 0
  const keep = () => writeFileSync(process.env.GC_FILE, String(ms))
  keep()
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) ms += duration
    keep()
  }).observe({ entryTypes: ['gc'] })
}
