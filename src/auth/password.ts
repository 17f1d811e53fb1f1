/** Password hashes (bcrypt). The only file that knows how a password is stored. */
import { compare, hash } from 'bcrypt'

const ROUNDS = 10
/** bcrypt looks at no more than this; a longer password would be accepted by its beginning alone. */
export const MAX_PASSWORD_BYTES = 72

/** A hash that no password has, to compare with when there is no client: the time taken tells nothing. */
const NOBODY = '$2b$10$DNlJue97XfhTgI4RINuYbuppxyktcldsJ1dycW.AQFDnn0r5o5C5u'

export function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}

/** @param password at most {@link MAX_PASSWORD_BYTES} bytes of UTF-8 */
export function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`A password has at most ${MAX_PASSWORD_BYTES} bytes.`)
  return hash(password, ROUNDS)
}

/** Takes as long for a null hash (no such client) as for a wrong password. */
export async function matches(password: string, passwordHash: string | null): Promise<boolean> {
  const equal = await compare(password, passwordHash ?? NOBODY)
  return equal && passwordHash !== null && !isTooLong(password)
}
