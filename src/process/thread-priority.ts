/** Lowers the priority of a worker thread, so that the event loop runs first where both share a core. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Nice value of a thread whose work may take longer, such as a search. */
const NICE = 10

/** Lowers the priority of the calling thread. Linux alone has a priority for each thread; elsewhere nothing changes. */
export function lowerThreadPriority(): void {
  try {
    // proc(5): the link names the process and the thread, such as 4711/task/4712.
    const threadId = readlinkSync('/proc/thread-self').split('/').at(-1)
    setPriority(Number(threadId), NICE)
  } catch {
    // Without it the work is done at the usual priority.
  }
}
