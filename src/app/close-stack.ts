/** Closes opened resources in reverse order. */
export class CloseStack {
  readonly #closers: (() => unknown)[] = []

  /** Adds a function that closes the last opened resource. */
  add(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Closes all resources, even if one fails. @throws the first failure */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const close of this.#closers.splice(0).reverse()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
