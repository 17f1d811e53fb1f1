/**
 * Stops submits while the disk is nearly full, so that acknowledgements, cancellations and deadlines still have room. Knows
 * no file system.
 */
import { type Clock, systemClock } from './clock.ts'
import { BrokerError } from './errors.ts'

/** Free bytes below which no message is stored. */
export const MIN_FREE_BYTES = 52_428_800

/** Time between two readings of the free bytes, in milliseconds. */
const PERIOD_MS = 10_000

export interface DiskFloorOptions {
  /** Reads the number of free bytes on the disk of the data directory. */
  readonly freeBytes: () => Promise<number>
  readonly log: {
    info(fields: object, message: string): void
    error(fields: object, message: string): void
  }
  readonly clock?: Pick<Clock, 'monotonicMs'>
}

export class DiskFloor {
  readonly #options: DiskFloorOptions
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** Time since which the disk has been below the floor, on the monotonic clock; null while it has room. */
  #lowSinceMs: number | null = null
  /** Number of submits that were refused in that time. */
  #refused = 0
  #timer: NodeJS.Timeout | null = null

  constructor(options: DiskFloorOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
  }

  /** Reads the free bytes now, and then every 10 seconds. Never rejects. */
  async start(): Promise<void> {
    await this.read()
    this.#timer = setInterval(() => void this.read(), PERIOD_MS)
    this.#timer.unref()
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer)
  }

  /** True while no message is stored. */
  get isLow(): boolean {
    return this.#lowSinceMs !== null
  }

  /** Reads the free bytes once. A disk that cannot be read keeps its state: the store reports what is wrong with it. */
  async read(): Promise<void> {
    const freeBytes = await this.#options.freeBytes().catch(() => null)
    if (freeBytes === null) return
    if (freeBytes < MIN_FREE_BYTES) this.#begin(freeBytes)
    else this.#end(freeBytes)
  }

  #begin(freeBytes: number): void {
    if (this.#lowSinceMs !== null) return
    this.#lowSinceMs = this.#clock.monotonicMs()
    this.#refused = 0
    this.#options.log.error(
      { code: 'storage-full', freeBytes, minFreeBytes: MIN_FREE_BYTES },
      'the disk is nearly full: no message is stored until space is free',
    )
  }

  #end(freeBytes: number): void {
    if (this.#lowSinceMs === null) return
    const seconds = Math.round((this.#clock.monotonicMs() - this.#lowSinceMs) / 1000)
    this.#lowSinceMs = null
    this.#options.log.info(
      { code: 'storage-full', freeBytes, seconds, refused: this.#refused },
      'the disk has room again: messages are stored',
    )
  }

  /** Lets a submit pass. @throws {BrokerError} storage-full while the disk is nearly full */
  check(): void {
    if (this.#lowSinceMs === null) return
    this.#refused++
    throw new BrokerError(
      'storage-full',
      'The disk is nearly full: nothing was stored. Free some space and send it again.',
    )
  }
}
