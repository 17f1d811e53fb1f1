/**
 * Replaces bcrypt in the process of a test. A hash at the minimum cost takes 1 ms instead of 60 ms, and most tests that
 * create a client test something else. A login without a client costs as little. Hashes of the product keep their cost.
 */
import { createRequire } from 'node:module'

const real = createRequire(import.meta.url)('bcrypt') as typeof import('bcrypt')

const LEAST_ROUNDS = 4
/** The hash with which `src/auth/password.ts` compares the password of an unknown client. It matches no password. */
const UNKNOWN_CLIENT_HASH = '$2b$10$DNlJue97XfhTgI4RINuYbuppxyktcldsJ1dycW.AQFDnn0r5o5C5u'
const CHEAP_HASH = real.hashSync('of no client', LEAST_ROUNDS)

export const compare = (password: string, passwordHash: string): Promise<boolean> =>
  real.compare(password, passwordHash === UNKNOWN_CLIENT_HASH ? CHEAP_HASH : passwordHash)
export const hash = (password: string): Promise<string> => real.hash(password, LEAST_ROUNDS)
