/** Password hashes (bcrypt). The only file that knows how a password is stored. */
import { compare, hash } from 'bcrypt'

const ROUNDS = 10
/** bcrypt looks at no more than this; a longer password would be accepted by its beginning alone. */
export const MAX_PASSWORD_BYTES = 72

/** A hash that no password has, to compare with when there is no client: the time taken tells nothing. */
const NOBODY = '$2b$10$DNlJue97XfhTgI4RINuYbuppxyktcldsJ1dycW.AQFDnn0r5o5C5u'

/** bcrypt reads a password over and over, a NUL at each end: `a` and `a\0a` have the same hash. */
export function hasNul(password: string): boolean {
  return password.includes('\0')
}

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}

/** @param password at most {@link MAX_PASSWORD_BYTES} bytes of UTF-8, none of them NUL */
export function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`A password has at most ${MAX_PASSWORD_BYTES} bytes.`)
  if (hasNul(password)) throw new RangeError('A password has no NUL.')
  return inTurn(() => hash(password, ROUNDS))
}

/** Takes as long for a null hash (no such client) as for a wrong password. */
export async function matches(password: string, passwordHash: string | null): Promise<boolean> {
  const equal = await inTurn(() => compare(password, passwordHash ?? NOBODY))
  return equal && passwordHash !== null && !isTooLong(password) && !hasNul(password)
}

/** Hashes made at a time: half of the threads that node has, which others need too (name look-ups, files). */
export const HASHES_AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

/** Waits, in the order of the calls, so that a storm of logins leaves time for everything else. */
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
