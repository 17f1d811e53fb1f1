/** Starts the thread that waits for the disk, from source or as built. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Failure } from './faults.ts'

/** What the thread is asked for. */
export type Task = 'sync' | 'checkpoint' | 'end'

/** To each task but the last: pages in the write-ahead log, after a checkpoint those that had to stay in it. */
export type Answer = { readonly pages: number } | Failure

/** @param path of the database, whose write-ahead log is there */
export function startThread(path: string): Worker {
  if (import.meta.url.endsWith('.js')) {
    return new Worker(new URL('./sync-thread.js', import.meta.url), { workerData: path })
  }
  // A thread does not inherit the loader of the one that starts it.
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const entry = fileURLToPath(new URL('./sync-thread.ts', import.meta.url))
  const code = `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(entry)})`
  return new Worker(code, { eval: true, workerData: path })
}
