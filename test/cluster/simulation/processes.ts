/** Memory and CPU time of processes, read from /proc. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Usage {
  /** Resident bytes; pages that several processes share count in parts. */
  readonly bytes: number
  readonly cpuSeconds: number
}

/** Ticks of the kernel in a second, for programs always 100. */
const TICKS = 100

/** Returns what one process uses; zeros when it has ended. */
export function usageOf(pid: number): Usage {
  try {
    const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    const [, , ...fields] = statOf(pid)
    return {
      bytes: Number(pss?.[1] ?? 0) * 1024,
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    }
  } catch {
    return { bytes: 0, cpuSeconds: 0 }
  }
}

/** Returns what a process and its children use. CPU time of children that have ended is counted if their parent waited for them. */
export function usageOfTree(pid: number): Usage {
  const all = [usageOf(pid), ...childrenOf(pid).map(usageOf)]
  return {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return Number.isInteger(pid) && Number(statOf(pid)[3]) === parent
      } catch {
        return false
      }
    })
}

/** Returns the fields of /proc/PID/stat. The second one, a name, may hold spaces and parentheses. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const end = text.lastIndexOf(')')
  return [String(pid), 'name', ...text.slice(end + 2).split(' ')]
}
