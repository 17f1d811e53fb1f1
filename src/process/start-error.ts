/** Stops the start for a reason that its user can mend. */
export class StartError extends Error {
  /** @param message one sentence: what is wrong, and the cure */
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
  }
}
