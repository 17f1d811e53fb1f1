/** Traces the system calls of a process and its threads, or makes them fail. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { temporaryDirectory, whenDone } from './cleanup.ts'

/** Reason why a test is left out. */
export const NO_STRACE = 'only where strace is installed and this user may trace a process'

export interface Trace {
  /** Detaches from the process. @returns the traced lines: one per call, or two where threads ran concurrently */
  stop(): Promise<string[]>
}

/** Attaches strace to a process. Resolves when every thread is traced. */
export async function attachStrace(pid: number, options: readonly string[]): Promise<Trace | null> {
  const output = join(temporaryDirectory(), 'trace')
  const tracer = spawn('strace', ['-f', '-y', '-o', output, ...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The event is 'error' if strace is not installed.
  const ended = once(tracer, 'close').catch(() => {})
  const stop = async (): Promise<string[]> => {
    tracer.kill()
    await ended
    return readFileSync(output, 'latin1').split('\n')
  }
  whenDone(async () => {
    tracer.kill()
    await ended
  })
  const attached = new Promise<Trace>((resolve) => {
    createInterface({ input: tracer.stderr }).on('line', (line) => {
      if (/ attached/.test(line)) resolve({ stop })
    })
  })
  return Promise.race([attached, ended.then(() => null)])
}
