/** Calls functions at an interval, by a timer that tests replace. */

/** Calls a function at an interval. Returns a function that stops the calls. */
export type Every = (intervalMs: number, run: () => void) => () => void

/** Timer that does not keep the process alive. */
export const everyInterval: Every = (intervalMs, run) => {
  const timer = setInterval(run, intervalMs).unref()
  return () => clearInterval(timer)
}
