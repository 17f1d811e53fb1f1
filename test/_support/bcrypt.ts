/**
 * Stands in for bcrypt in the process of a test: hashes at the least cost, 1 ms instead of 60 ms, since most tests that
 * make a client are about something else. Hashes of the product and a login without a client keep their cost.
 */
import { createRequire } from 'node:module'

const real = createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')

const LEAST_ROUNDS = 4

export const compare = real.compare
export const hash = (password: string): Promise<string> => real.hash(password, LEAST_ROUNDS)
