/**
 * Replaces bcrypt in the process of a test. A hash at the minimum cost takes 1 ms instead of 60 ms, and most tests that
 * create a client test something else. Hashes of the product and a login without a client keep their cost.
 */
import { createRequire } from 'node:module'

const real = createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')

const LEAST_ROUNDS = 4

export const compare = real.compare
export const hash = (password: string): Promise<string> => real.hash(password, LEAST_ROUNDS)
