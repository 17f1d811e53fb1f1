/**
 * Recognises bcrypt hashes of other programs, so that clients can migrate with their passwords. Hashes and checks
 * nothing.
 */

const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

const LEAST_COST = 4
/**
 * Maximum cost. Each step doubles the time of a login: measured, 0.07 s at 10, 0.3 s at 12, 1.3 s at 14. The server
 * checks two passwords at a time, so a client with a higher cost would delay the logins of all others; cost 31 takes
 * days.
 */
const MOST_COST = 14

export const ACCEPTED_COSTS = `${LEAST_COST} to ${MOST_COST}`

/** Returns whether a text has the form of a bcrypt hash of any cost. */
export function isPasswordHash(text: string): boolean {
  return HASH.test(text)
}

/** Returns the cost of a refused hash; null for an accepted hash and for any other text. */
export function refusedCostOf(text: string): number | null {
  const cost = Number(HASH.exec(text)?.[1] ?? LEAST_COST)
  return cost >= LEAST_COST && cost <= MOST_COST ? null : cost
}

/** Converts a hash to its stored form. PHP calls version 2b `2y`, a name that the bcrypt library refuses. */
export function toStoredHash(hash: string): string {
  return hash.replace('$2y$', '$2b$')
}
