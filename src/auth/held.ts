/** Defines how something holds the access of a caller for longer than the check of a request. Types only. */

/** Access that something holds. */
export interface Held {
  /** Tells whether the access holds. It is asked in the turn of each hand-over. */
  holds(): boolean
  /** Gives the access up. */
  release(): void
}

/**
 * Registers something that outlives the check of its caller.
 *
 * @param end called once when the access has ended; before this function returns, if it has ended already
 * @param rightsChanged called when the devices that the caller may act for have changed, and the access still holds
 */
export type HoldAccess = (end: () => void, rightsChanged?: () => void) => Held
