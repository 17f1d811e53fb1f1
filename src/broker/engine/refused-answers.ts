/**
 * Tracks the devices that repeatedly send unusable answers. Such a device repeats its command until its message is
 * parked. A restart resets this.
 */
import type { Log } from '../../process/log.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { LineLimit } from './line-limit.ts'
import { REJECTION_LINES } from './rejection-lines.ts'

/** Refused answers of a device to its messages since its latest acknowledgement. */
export interface DeviceRefusals {
  readonly deviceId: string
  /** Message in flight at the latest refused answer. */
  readonly messageId: number
  readonly count: number
  /** Time of the first refused answer, in milliseconds since 1970. */
  readonly sinceMs: number
  readonly lastMs: number
}

export class RefusedAnswers {
  readonly #log: Pick<Log, 'info'>
  readonly #clock: Clock
  readonly #lines: LineLimit
  readonly #byDevice = new Map<string, DeviceRefusals>()

  constructor(log: Pick<Log, 'info'>, clock: Clock) {
    this.#log = log
    this.#clock = clock
    this.#lines = new LineLimit({
      linesPerSecond: REJECTION_LINES,
      summarize: (count) => log.info({ count }, 'more answers were refused'),
      monotonicMs: () => clock.monotonicMs(),
    })
  }

  /**
   * Records a refused answer. @param messageId message in flight; null: an answer without a message counts for no alert
   */
  record(deviceId: string, messageId: number | null, reason: string): void {
    if (this.#lines.admits()) this.#log.info({ deviceId, messageId }, `answer refused: ${reason}`)
    if (messageId === null) return
    const nowMs = this.#clock.wallMs()
    const { count = 0, sinceMs = nowMs } = this.#byDevice.get(deviceId) ?? {}
    this.#byDevice.set(deviceId, { deviceId, messageId, count: count + 1, sinceMs, lastMs: nowMs })
  }

  acknowledged(deviceId: string): void {
    this.#byDevice.delete(deviceId)
  }

  /** Returns the devices with at least `count` answers, the latest one after a time. */
  withCount(count: number, afterMs: number): DeviceRefusals[] {
    return [...this.#byDevice.values()].filter((each) => each.count >= count && each.lastMs > afterMs)
  }

  /** Logs the number of this second's answers without a line. */
  close(): void {
    this.#lines.close()
  }
}
