/** Tracks the parked messages: reads them at the start, then follows the status changes. Knows no SQL. */
import type { Transitioned } from '../contract/store.ts'
import type { StoreMetrics } from '../contract/store-metrics.ts'

export class ParkedMessages {
  readonly #store: Pick<StoreMetrics, 'parked'>
  #ids = new Set<number>()
  /** Changes since the beginning of a read; null without a read. */
  #duringRead: Transitioned[] | null = null

  constructor(store: Pick<StoreMetrics, 'parked'>) {
    this.#store = store
  }

  get count(): number {
    return this.#ids.size
  }

  /** Reads the ids from the storage: once at the start, and after old messages were removed. */
  async load(): Promise<void> {
    const changes: Transitioned[] = []
    this.#duringRead = changes
    try {
      this.#ids = new Set(await this.#store.parked())
    } finally {
      // A later read has its own list.
      if (this.#duringRead === changes) this.#duringRead = null
    }
    for (const change of changes) this.changed(change)
  }

  changed(change: Transitioned): void {
    this.#duringRead?.push(change)
    if (change.cause === 'NOT_ACKNOWLEDGED') this.#ids.add(change.messageId)
    else if (this.#ids.size > 0) this.#ids.delete(change.messageId)
  }
}
