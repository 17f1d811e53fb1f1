/** Repeats a job at a fixed interval for as long as the server runs. Knows no job. */

/**
 * Runs a job at the end of each period. The timer does not keep the process alive.
 *
 * @param job never rejects
 * @param options.atOnce true also runs the job now
 * @returns function that stops the repetition; resolves when the current run is over
 */
export function startPeriodic(
  job: () => Promise<void>,
  periodMs: number,
  { atOnce }: { readonly atOnce: boolean },
): () => Promise<void> {
  let running = Promise.resolve()
  const run = (): void => {
    running = job()
  }
  const timer = setInterval(run, periodMs).unref()
  if (atOnce) run()
  return async () => {
    clearInterval(timer)
    await running
  }
}
