/** Hashes and checks passwords with bcrypt. No other file except `password-hash.ts` knows how a password is stored. */
import { compare, hash } from 'bcrypt'
import { HashQueue } from './hash-queue.ts'

const ROUNDS = 10
/** Maximum bytes of a password. bcrypt ignores the rest, so a longer password would match by its beginning alone. */
export const MAX_PASSWORD_BYTES = 72

/**
 * Hash that matches no password. It is compared for unknown clients, so that the duration of a login does not reveal
 * them.
 */
const UNKNOWN_CLIENT_HASH = '$2b$10$DNlJue97XfhTgI4RINuYbuppxyktcldsJ1dycW.AQFDnn0r5o5C5u'

/**
 * Returns whether a password contains a NUL. bcrypt repeats a password with a NUL after each copy, so `a` and `a\0a`
 * have the same hash.
 */
export function hasNul(password: string): boolean {
  return password.includes('\0')
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}

/** Schedules all hashes of this process, which share its worker threads. */
export const hashQueue = new HashQueue()

/** Hashes a password. @param password at most {@link MAX_PASSWORD_BYTES} bytes of UTF-8, without NUL */
export function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`A password has at most ${MAX_PASSWORD_BYTES} bytes.`)
  if (hasNul(password)) throw new RangeError('A password has no NUL.')
  return hashQueue.run(() => hash(password, ROUNDS))
}

/** Returns whether a password matches a hash. For the work of a logged-in client. */
export function matches(password: string, passwordHash: string): Promise<boolean> {
  return hashQueue.run(() => comparePassword(password, passwordHash))
}

/**
 * Returns whether a password matches a hash, for a login that has its turn in {@link hashQueue}. A null hash (unknown
 * client) takes as long as a wrong password.
 */
export async function comparePassword(password: string, passwordHash: string | null): Promise<boolean> {
  const equal = await compare(password, passwordHash ?? UNKNOWN_CLIENT_HASH)
  return equal && passwordHash !== null && !isTooLong(password) && !hasNul(password)
}
