/** Starts worker threads, from source or from the build. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

/**
 * Starts a thread.
 *
 * @param name module of the thread without its extension, relative to `src`; its name ends with `-thread`, as the build expects
 * @param workerData value that the thread receives
 */
export function startThread(name: `${string}-thread`, workerData: unknown): Worker {
  if (import.meta.url.endsWith('.js')) {
    return new Worker(new URL(`../${name}.js`, import.meta.url), { workerData })
  }
  // A thread does not inherit the loader of its parent.
  const tsx = createRequire(import.meta.url).resolve('tsx/cjs/api')
  const entry = fileURLToPath(new URL(`../${name}.ts`, import.meta.url))
  const code = `require(${JSON.stringify(tsx)}).register(); require(${JSON.stringify(entry)})`
  return new Worker(code, { eval: true, workerData })
}
