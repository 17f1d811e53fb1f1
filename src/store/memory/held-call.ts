/** A call of a memory node that a test holds. */

export class HeldCall {
  /** Resolves when the call has reached the moment at which it is held. */
  readonly reached: Promise<void>
  /** Lets the call continue. */
  letGo: () => void = () => {}
  /** Ends the call with an error. */
  fail: (error: Error) => void = () => {}
  readonly #end: Promise<void>
  #reach: () => void = () => {}

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve
    })
    this.#end = new Promise((resolve, reject) => {
      this.letGo = resolve
      this.fail = reject
    })
    // A hold may end before the call reaches it. Without a handler the process would end with the rejection.
    this.#end.catch(() => {})
  }

  /** Stops the call here until the test ends the hold. */
  hold(): Promise<void> {
    this.#reach()
    return this.#end
  }
}
