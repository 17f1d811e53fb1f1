/**
 * Logs when the storage begins to refuse writes, and when it stores again. The disk floor logs a full disk, once for
 * both. Knows no SQL.
 */
import type { Log } from '../../process/log.ts'
import type { Clock } from '../vocabulary/clock.ts'
import type { DiskFloor } from './disk-floor.ts'

/** Receives the outcomes of a storage's writes. */
export interface WriteObserver {
  /** Called when a group of writes was refused. */
  refused(code: 'storage-full' | 'storage-busy' | 'storage-away', writes: number): void
  /** Called after each commit, so it must be very cheap. */
  stored(): void
}

/** Receives the outcomes of writes to a shared database. */
export interface SharedWriteObserver extends WriteObserver {
  /** Called after each attempt without an answer of the database. The storage tries again. */
  unanswered(): void
}

export interface StorageConditionsOptions {
  readonly log: Pick<Log, 'info' | 'error'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/**
 * Time for which a shared database may be silent before a log line, in milliseconds. A lost connection alone is not
 * logged.
 */
const SILENCE_MS = 1_000

/** Condition in which the storage refuses writes. */
class Condition {
  readonly #code: string
  readonly #options: StorageConditionsOptions
  /** Start on the monotonic clock; null while the storage works. */
  #sinceMs: number | null = null
  #isLogged = false
  refused = 0

  constructor(code: string, options: StorageConditionsOptions) {
    this.#code = code
    this.#options = options
  }

  get isOn(): boolean {
    return this.#sinceMs !== null
  }

  /** Records that the condition holds. @param afterMs time after which it is logged */
  hold(message: string, afterMs: number): void {
    const nowMs = this.#options.clock.monotonicMs()
    this.#sinceMs ??= nowMs
    if (this.#isLogged || nowMs - this.#sinceMs < afterMs) return
    this.#isLogged = true
    this.#options.log.error({ code: this.#code }, message)
  }

  end(message: string): void {
    if (this.#sinceMs === null) return
    const seconds = Math.round((this.#options.clock.monotonicMs() - this.#sinceMs) / 1000)
    const { refused } = this
    if (this.#isLogged) this.#options.log.info({ code: this.#code, seconds, refused }, message)
    this.#sinceMs = null
    this.#isLogged = false
    this.refused = 0
  }
}

export class StorageConditions implements SharedWriteObserver {
  /** Disk floor; null until the broker is open. */
  disk: Pick<DiskFloor, 'refused' | 'stored'> | null = null
  /** Another program holds the database. */
  readonly #busy: Condition
  /** The shared database does not answer. */
  readonly #away: Condition

  constructor(options: StorageConditionsOptions) {
    this.#busy = new Condition('storage-busy', options)
    this.#away = new Condition('storage-away', options)
  }

  refused(code: 'storage-full' | 'storage-busy' | 'storage-away', writes: number): void {
    switch (code) {
      case 'storage-full':
        this.disk?.refused(writes)
        break
      case 'storage-away':
        this.#away.refused += writes
        break
      case 'storage-busy':
        this.#busy.refused += writes
        this.#busy.hold(
          'another program holds the database, so nothing is stored until it releases the lock. Stop that program, for example sqlite3 or a backup tool',
          0,
        )
        break
      default:
        code satisfies never
    }
  }

  unanswered(): void {
    this.#away.hold(
      'PostgreSQL does not answer, so nothing is stored until it does. Check its hosts and the network between',
      SILENCE_MS,
    )
  }

  stored(): void {
    this.disk?.stored()
    if (this.#busy.isOn) this.#busy.end('the database is free again: messages are stored')
    if (this.#away.isOn) this.#away.end('PostgreSQL answers again: messages are stored')
  }
}
