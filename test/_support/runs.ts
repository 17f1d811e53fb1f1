/** Number of runs of tests that try many inputs: fewer in the fast tier, more in the system tier. */
import { inject } from 'vitest'
import './provided.ts'

/** The fast tier tries one of this number of samples. */
const STRIDE = 4

/** Returns the number of runs of a property. */
export function runs(count: number): number {
  return count * inject('thoroughness')
}

/** Returns every fourth sample in the fast tier, all of them in the system tier. */
export function some<T>(samples: readonly T[]): T[] {
  return inject('thoroughness') > 1 ? [...samples] : samples.filter((_, index) => index % STRIDE === 0)
}
