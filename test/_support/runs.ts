/** How often a property test tries: fewer times in the fast tier, more in the system tier. */
import { inject } from 'vitest'
import './provided.ts'

/** @param count runs in the fast tier */
export function runs(count: number): number {
  return count * inject('thoroughness')
}
