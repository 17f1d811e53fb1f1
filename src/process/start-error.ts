/** Error that stops the start for a reason that the user can fix. */
export class StartError extends Error {
  /** @param message says what is wrong, then what to do */
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartError'
  }
}
