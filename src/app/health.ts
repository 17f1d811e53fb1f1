/**
 * Reports whether the server can do its work. Reads memory only, so that a probe never waits for a disk. Knows no HTTP.
 */

import type { StoreStats } from '../broker/contract/store-stats.ts'
import type { DiskFloor } from '../broker/engine/disk-floor.ts'
import type { Transport } from '../transport/transport.ts'

export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
}

export interface HealthOptions {
  readonly store: Pick<StoreStats, 'failedAtMs'>
  /** Returns false while a shared database does not answer this process, or considers it dead. */
  readonly isStorageReady?: (() => boolean) | undefined
  readonly disk: Pick<DiskFloor, 'isLow'>
  readonly kinds: readonly string[]
  readonly transports: readonly Pick<Transport, 'name' | 'url'>[]
}

export class Health {
  readonly #options: HealthOptions
  #isRunning = false

  constructor(options: HealthOptions) {
    this.#options = options
  }

  started(): void {
    this.#isRunning = true
  }

  stopping(): void {
    this.#isRunning = false
  }

  /** Returns all checks. The server is ready when each check is ok. */
  checks(): HealthCheck[] {
    const { store, isStorageReady, disk, kinds } = this.#options
    return [
      { name: 'storage', ok: store.failedAtMs === null && isStorageReady?.() !== false },
      { name: 'disk', ok: !disk.isLow },
      ...kinds.map((kind) => ({ name: kind.toLowerCase(), ok: this.#listensOrIsOff(kind) })),
      { name: 'running', ok: this.#isRunning },
    ]
  }

  #listensOrIsOff(kind: string): boolean {
    const transport = this.#options.transports.find(({ name }) => name === kind)
    return transport === undefined || transport.url !== null
  }
}
