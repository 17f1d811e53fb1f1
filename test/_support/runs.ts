/** Determines how many inputs a test tries: fewer in the fast tier, more in the system tier. `RUNS=3` makes it three times as many. */
import { inject } from 'vitest'
import './provided.ts'

/** The fast tier tries one of this number of samples. */
const STRIDE = 4

/** Minimum number of runs in the fast tier, if a property has that many. */
const FEWEST = 5

const FACTOR = Number(process.env.RUNS ?? 1)

/**
 * Returns the number of runs of a property: a fraction in the fast tier, a multiple where properties run once more.
 *
 * @param fewest fewer than usual for a run that takes most of a second
 */
export function runs(count: number, fewest = FEWEST): number {
  return Math.max(Math.round(count * inject('thoroughness') * FACTOR), Math.min(count, fewest))
}

/** Returns every fourth sample in the fast tier, all of them in the system tier. */
export function some<T>(samples: readonly T[]): T[] {
  return inject('thoroughness') > 1 ? [...samples] : samples.filter((_, index) => index % STRIDE === 0)
}
