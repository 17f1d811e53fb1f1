/** Defines how something uses the access of a caller beyond the check of a request. Types only. */

export interface Held {
  /** Returns whether the access is still valid. Called in the turn of each dispatch. */
  holds(): boolean
  release(): void
}

/**
 * Registers a holder.
 *
 * @param end called once when the access has ended; before this function returns if it has already ended
 * @param rightsChanged called when the devices that the caller may act for have changed and the access is still valid
 */
export type HoldAccess = (end: () => void, rightsChanged?: () => void) => Held
