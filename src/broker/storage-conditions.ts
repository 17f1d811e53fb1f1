/**
 * Logs when the storage begins to refuse writes, and when it stores again. A full disk is left to the floor of free bytes,
 * which logs it once for both. Knows no SQL.
 */
import type { Clock } from './clock.ts'
import type { DiskFloor } from './disk-floor.ts'

/** The part of a storage that reports what becomes of writes. */
export interface WriteObserver {
  /** Called when a group of writes was refused. */
  refused(code: 'storage-full' | 'storage-busy', writes: number): void
  /** Called after each commit, so it must cost next to nothing. */
  stored(): void
}

export interface StorageConditionsOptions {
  readonly log: {
    info(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  readonly clock: Pick<Clock, 'monotonicMs'>
}

export class StorageConditions implements WriteObserver {
  readonly #options: StorageConditionsOptions
  /** Floor of free bytes; null until the broker is open. */
  disk: Pick<DiskFloor, 'refused' | 'stored'> | null = null
  /** Time since which another program has held the database, on the monotonic clock; null while none does. */
  #busySinceMs: number | null = null
  /** Number of writes that were refused in that time. */
  #refused = 0

  constructor(options: StorageConditionsOptions) {
    this.#options = options
  }

  refused(code: 'storage-full' | 'storage-busy', writes: number): void {
    if (code === 'storage-full') {
      this.disk?.refused(writes)
      return
    }
    this.#refused += writes
    if (this.#busySinceMs !== null) return
    this.#busySinceMs = this.#options.clock.monotonicMs()
    this.#options.log.error(
      { code },
      'another program holds the database, so nothing is stored until it releases the lock. Stop that program, for example sqlite3 or a backup tool',
    )
  }

  stored(): void {
    this.disk?.stored()
    if (this.#busySinceMs === null) return
    const seconds = Math.round((this.#options.clock.monotonicMs() - this.#busySinceMs) / 1000)
    this.#busySinceMs = null
    this.#options.log.info(
      { code: 'storage-busy', seconds, refused: this.#refused },
      'the database is free again: messages are stored',
    )
    this.#refused = 0
  }
}
