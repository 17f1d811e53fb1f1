/** What stops the start for a reason that the person who started it can mend. */
export class StartError extends Error {
  /** @param message one sentence: what is wrong, and the cure */
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
  }
}
