/** Starts a thread of the storage, from source or as built. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * @param name of the file in this directory that it runs
 * @param workerData what it is given
 */
export function startThread(name: 'checkpoint-thread' | 'backup-thread', workerData: unknown): Worker {
  if (import.meta.url.endsWith('.js')) {
    return new Worker(new URL(`./${name}.js`, import.meta.url), { workerData })
  }
  // A thread does not inherit the loader of the one that starts it.
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const entry = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const code = `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(entry)})`
  return new Worker(code, { eval: true, workerData })
}
