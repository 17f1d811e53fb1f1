/** Defines the common members of the messages of the benches. */

/** Limits of a queue that no bench reaches. */
export const NO_LIMITS = { messages: Number.MAX_SAFE_INTEGER, bytes: 0 }

/** The members of a message that uses no feature. */
export const PLAIN = { details: false, terms: null, replaces: null, idempotency: null }
