/** Pseudo-random numbers from a seed. */
import { inject } from 'vitest'
import './provided.ts'

/** Returns the seed of the run. `SEED=n` repeats its choices, as far as the timing of the machine allows. */
export function seedOfRun(): number {
  return inject('seed') ?? Date.now() % 1_000_000
}

/** @returns a function that returns numbers from 0 to below 1 (mulberry32) */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
