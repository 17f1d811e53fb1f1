/**
 * Stops submits while the disk is nearly full, so that acknowledgements, cancellations and deadlines still have room.
 * Knows no file system.
 */
import type { Log } from '../../process/log.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import { BrokerError } from '../vocabulary/errors.ts'

/** Free bytes below which submits are refused. */
export const MIN_FREE_BYTES = 52_428_800

/** Time between two readings of the free bytes, in milliseconds. */
const PERIOD_MS = 10_000

export interface DiskFloorOptions {
  /** Returns the free bytes on the disk of the storage; null if the storage does not know its disk. */
  readonly freeBytes: () => Promise<number | null>
  readonly log: Pick<Log, 'info' | 'error'>
  readonly clock?: Pick<Clock, 'monotonicMs'>
}

export class DiskFloor {
  readonly #options: DiskFloorOptions
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** Time since which the disk has had no room, on the monotonic clock; null while it has room. */
  #fullSinceMs: number | null = null
  /** True while fewer bytes are free than {@link MIN_FREE_BYTES}. */
  #isLow = false
  /**
   * True from a write that the disk refused until a successful write. A quota may be exhausted although bytes are free.
   */
  #refusesWrites = false
  #isReading = false
  /** Number of submits and other writes refused while the disk had no room. */
  #refused = 0
  #timer: NodeJS.Timeout | null = null

  constructor(options: DiskFloorOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Reads the free bytes now, and then every 10 seconds if the storage knows its disk. Never rejects. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.read(), PERIOD_MS)
    this.#timer.unref()
    await this.read()
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  get isLow(): boolean {
    return this.#fullSinceMs !== null
  }

  /** Reads the free bytes once. After a failed read the state is unchanged, and the store reports the failure. */
  async read(): Promise<void> {
    this.#isReading = true
    const freeBytes = await this.#options.freeBytes().catch(() => undefined)
    this.#isReading = false
    if (freeBytes === null) this.close()
    if (freeBytes === null || freeBytes === undefined) return
    this.#isLow = freeBytes < MIN_FREE_BYTES
    if (this.#isLow || this.#refusesWrites) this.#begin(freeBytes)
    else this.#end(freeBytes)
  }

  /** Records writes that the disk refused for lack of space. */
  refused(writes: number): void {
    this.#refused += writes
    this.#refusesWrites = true
    if (this.#fullSinceMs === null && !this.#isReading) void this.read()
  }

  stored(): void {
    this.#refusesWrites = false
  }

  #begin(freeBytes: number): void {
    if (this.#fullSinceMs !== null) return
    this.#fullSinceMs = this.#clock.monotonicMs()
    this.#options.log.error(
      { code: 'storage-full', freeBytes, minFreeBytes: MIN_FREE_BYTES },
      'the disk is nearly full: no message is stored until space is free',
    )
  }

  #end(freeBytes: number): void {
    if (this.#fullSinceMs === null) return
    const seconds = Math.round((this.#clock.monotonicMs() - this.#fullSinceMs) / 1000)
    this.#fullSinceMs = null
    this.#options.log.info(
      { code: 'storage-full', freeBytes, seconds, refused: this.#refused },
      'the disk has room again: messages are stored',
    )
    this.#refused = 0
  }

  /** Checks that a submit is permitted. @throws {BrokerError} storage-full while the disk is nearly full */
  check(): void {
    if (!this.#isLow) return
    this.#refused++
    throw new BrokerError(
      'storage-full',
      'The disk is nearly full: nothing was stored. Free some space and send it again.',
    )
  }
}
