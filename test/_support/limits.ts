/** Time limits of the tests. A limit only ends a hanging test, so it is far above what a busy machine needs. */

/** Limit for one test or hook. */
export const LIMIT_MS = 60_000

/** Limit for one condition that a test waits for. Shorter than {@link LIMIT_MS}, so that the failure names the condition. */
export const WAIT_MS = 45_000
