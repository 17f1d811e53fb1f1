/** How much a test tries that tries many things: less in the fast tier, more in the system tier. */
import { inject } from 'vitest'
import './provided.ts'

/** Every so many of a list of samples is tried in the fast tier. */
const STRIDE = 4

/** Number of runs of a property. @param count runs in the fast tier */
export function runs(count: number): number {
  return count * inject('thoroughness')
}

/** Every fourth sample in the fast tier, all of them in the system tier. */
export function some<T>(samples: readonly T[]): T[] {
  return inject('thoroughness') > 1 ? [...samples] : samples.filter((_, index) => index % STRIDE === 0)
}
