/** Starts the thread that writes, from source or as built. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/** @param path of the database that it writes */
export function startThread(path: string): Worker {
  if (import.meta.url.endsWith('.js')) {
    return new Worker(new URL('./writer-thread.js', import.meta.url), { workerData: path })
  }
  // A thread does not inherit the loader of the one that starts it.
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const entry = fileURLToPath(new URL('./writer-thread.ts', import.meta.url))
  const code = `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(entry)})`
  return new Worker(code, { eval: true, workerData: path })
}
