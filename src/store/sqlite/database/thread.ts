/** Starts the worker threads of the storage, from source or from the build. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Starts a thread.
 *
 * @param name file of the thread, relative to the directory of the driver
 * @param workerData value that the thread receives
 */
export function startThread(
  name: 'database/checkpoint-thread' | 'database/backup-thread' | 'views/reader-thread',
  workerData: unknown,
): Worker {
  if (import.meta.url.endsWith('.js')) {
    return new Worker(new URL(`../${name}.js`, import.meta.url), { workerData })
  }
  // A thread does not inherit the loader of its parent.
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const entry = fileURLToPath(new URL(`../${name}.ts`, import.meta.url))
  const code = `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(entry)})`
  return new Worker(code, { eval: true, workerData })
}
