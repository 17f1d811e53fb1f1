/**
 * Recognises bcrypt hashes that another program made, so that clients can move over with their passwords. Hashes and
 * checks nothing.
 */

/** Version, cost, salt and digest. */
const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

const LEAST_COST = 4
/**
 * Each step of the cost doubles the time of a login: measured, 0.07 s at 10, 0.3 s at 12, 1.3 s at 14. The server checks
 * two passwords at a time, so a client with a higher cost would hold up the logins of all others; cost 31 takes days.
 */
const MOST_COST = 14

/** The costs of accepted hashes, for messages. */
export const ACCEPTED_COSTS = `${LEAST_COST} to ${MOST_COST}`

/** Tells whether a text has the form of a bcrypt hash, of any cost. */
export function isPasswordHash(text: string): boolean {
  return HASH.test(text)
}

/** Returns the cost of a hash that is not accepted; null for an accepted hash and for a text that is no hash. */
export function refusedCostOf(text: string): number | null {
  const cost = Number(HASH.exec(text)?.[1] ?? LEAST_COST)
  return cost >= LEAST_COST && cost <= MOST_COST ? null : cost
}

/** Returns a hash as it is stored. PHP calls version 2b `2y`, a name that the bcrypt library refuses. */
export function toStoredHash(hash: string): string {
  return hash.replace('$2y$', '$2b$')
}
