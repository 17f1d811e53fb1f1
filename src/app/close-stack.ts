/** Closes what was opened, last first. Knows nothing of what it closes. */
export class CloseStack {
  readonly #closers: (() => unknown)[] = []

  /** Adds how to close what was just opened. */
  add(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Closes all of it, also when a part fails. @throws the first failure */
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
