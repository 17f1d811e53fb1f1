/** Prints the processor time and the duration of a run at its end. CONTRIBUTING.md has the limits of the fast tier. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** Linux reports processor time in hundredths of a second on every architecture. */
const TICKS_PER_SECOND = 100
/** Indexes of user and system time in `/proc/PID/stat` after the name, of the process and of its ended children. */
const [USER, SYSTEM, ENDED_USER, ENDED_SYSTEM] = [11, 12, 13, 14] as const

export class CostReporter implements Reporter {
  onTestRunEnd(): void {
    const wall = `${Math.round(performance.now() / 1000)} s of wall time`
    const cpu = process.platform === 'linux' ? `${Math.round(processorSeconds())} s of processor time, ` : ''
    process.stdout.write(`        Cost  ${cpu}${wall}\n`)
  }
}

/** Returns the processor time of this process and of the workers, whether they still run or have ended. */
function processorSeconds(): number {
  const workers = readdirSync('/proc/self/task').flatMap((thread) =>
    childrenOf(`/proc/self/task/${thread}/children`),
  )
  return ['self', ...workers].reduce((sum, pid) => sum + ticksOf(pid), 0) / TICKS_PER_SECOND
}

function childrenOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(' ').filter(Boolean)
  } catch {
    // The thread has ended, or this kernel has no such file.
    return []
  }
}

function ticksOf(pid: string): number {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // The worker has just ended; its time may be missing.
    return 0
  }
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  return [USER, SYSTEM, ENDED_USER, ENDED_SYSTEM].reduce((sum, at) => sum + (fields[at] as number), 0)
}
