/** Tracks the devices that asked for a pause, for lines and polls. Events of the store keep it up to date. */

import type { MessageStore } from '../contract/store.ts'
import type { Clock } from '../vocabulary/clock.ts'

type Store = Pick<MessageStore, 'watch' | 'busyDevices'>

export class BusyDevices {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** End of the pause on the monotonic clock, by device. An expired pause stays until the next access. */
  readonly #untilMs = new Map<string, number>()

  constructor(store: Store, clock: Pick<Clock, 'monotonicMs'>) {
    this.#store = store
    this.#clock = clock
    store.watch({
      busy: ({ deviceId, forMs }) => this.#untilMs.set(deviceId, clock.monotonicMs() + forMs),
    })
  }

  /** Reads the stored pauses. A server calls this once, before the first device connects. */
  async load(): Promise<void> {
    for (const [deviceId, forMs] of await this.#store.busyDevices()) {
      // An event that arrived during the read is newer than the read.
      if (!this.#untilMs.has(deviceId)) this.#untilMs.set(deviceId, this.#clock.monotonicMs() + forMs)
    }
  }

  /** Returns the remaining pause of a device in milliseconds; 0 if the device is not busy. */
  forMs(deviceId: string): number {
    const untilMs = this.#untilMs.get(deviceId)
    if (untilMs === undefined) return 0
    const forMs = untilMs - this.#clock.monotonicMs()
    if (forMs > 0) return forMs
    this.#untilMs.delete(deviceId)
    return 0
  }

  get count(): number {
    return this.devices().length
  }

  devices(): string[] {
    return [...this.#untilMs.keys()].filter((deviceId) => this.forMs(deviceId) > 0)
  }
}
