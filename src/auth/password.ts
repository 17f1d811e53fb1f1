/** Hashes and checks passwords with bcrypt. No other file but `password-hash.ts` knows how a password is stored. */
import { compare, hash } from 'bcrypt'

const ROUNDS = 10
/** Maximum bytes of a password. bcrypt ignores the rest, so a longer password would match by its beginning alone. */
export const MAX_PASSWORD_BYTES = 72

/** Hash that no password has. It is compared for unknown clients, so that the time of a login does not tell them apart. */
const UNKNOWN_CLIENT_HASH = '$2b$10$DNlJue97XfhTgI4RINuYbuppxyktcldsJ1dycW.AQFDnn0r5o5C5u'

/**
 * Tells whether a password has a NUL. bcrypt repeats a password with a NUL after each copy, so `a` and `a\0a` have the same
 * hash.
 */
export function hasNul(password: string): boolean {
  return password.includes('\0')
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}

/** Hashes a password. @param password at most {@link MAX_PASSWORD_BYTES} bytes of UTF-8, without NUL */
export function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`A password has at most ${MAX_PASSWORD_BYTES} bytes.`)
  if (hasNul(password)) throw new RangeError('A password has no NUL.')
  return inTurn(() => hash(password, ROUNDS))
}

/** Tells whether a password has a hash. A null hash (unknown client) takes as long as a wrong password. */
export async function matches(password: string, passwordHash: string | null): Promise<boolean> {
  const equal = await inTurn(() => compare(password, passwordHash ?? UNKNOWN_CLIENT_HASH))
  return equal && passwordHash !== null && !isTooLong(password) && !hasNul(password)
}

/** Maximum hashes at a time: half of Node's worker threads, since name look-ups and files need them too. */
export const HASHES_AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

/** Runs hashing in the order of the calls, at most {@link HASHES_AT_ONCE} at a time. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < HASHES_AT_ONCE) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
