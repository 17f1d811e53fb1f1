/** Runs the command-line clients of mosquitto, where they are installed. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { whenDone } from './cleanup.ts'

export const hasMosquitto = ((): boolean => {
  try {
    execFileSync('mosquitto_pub', ['--help'], { stdio: 'ignore' })
    return true
  } catch (error) {
    // --help ends with 1 in some versions.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
})()
if (!hasMosquitto) console.warn('mosquitto_pub and mosquitto_sub are not installed: their tests are left out')

export interface Mosquitto {
  /** Resolves when its output contains the text. With `-d` the output has every packet. */
  says(text: string): Promise<void>
  readonly ended: Promise<{ readonly code: number | null; readonly out: string }>
  kill(signal?: NodeJS.Signals): void
}

export function mosquitto(tool: 'pub' | 'sub', args: readonly (string | number)[]): Mosquitto {
  // stdbuf makes it write line by line. Into a pipe it would write only when it ends.
  const child = spawn('stdbuf', ['-oL', `mosquitto_${tool}`, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  const watchers = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text
      for (const watcher of watchers) watcher()
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out }))
  whenDone(() => child.kill('SIGKILL'))
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!out.includes(text)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
        void ended.then(() => reject(new Error(`mosquitto_${tool} ended without "${text}":\n${out}`)))
      }),
  }
}
