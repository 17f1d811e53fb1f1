/**
 * Checks the stored state of a device line against the rules of the device, for claims and polls of a device with its
 * own settings. Knows no store.
 */

import type { LineState, UnfinishedMessage } from '../contract/device-lease.ts'
import type { Clock } from '../vocabulary/clock.ts'

export class LineCheck {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** End of the pacing interval, for devices whose latest dispatch the store sees in the present or in the future. */
  readonly #untilMs = new Map<string, number>()
  /** Earliest known end of each unfinished message, by device. */
  readonly #finishMs = new Map<string, ReadonlyMap<number, number>>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /**
   * Returns whether the pacing interval or an unfinished message holds the next dispatch.
   *
   * @param nextAfterCompleted true if an unfinished message holds the queue
   */
  isHeld(deviceId: string, line: LineState, intervalMs: number, nextAfterCompleted: boolean): boolean {
    if (this.#isPacing(deviceId, line.sinceDispatchMs, intervalMs)) return true
    return nextAfterCompleted && this.#isUnfinished(deviceId, line.unfinished)
  }

  /**
   * Returns whether the interval is running. After the wall clock was set back the store sees the dispatch in the
   * future and reports 0 each time. One interval after the first such report the device has waited long enough.
   */
  #isPacing(deviceId: string, sinceDispatchMs: number | null, intervalMs: number): boolean {
    if (sinceDispatchMs !== 0) {
      this.#untilMs.delete(deviceId)
      return sinceDispatchMs !== null && sinceDispatchMs < intervalMs
    }
    const endMs = this.#clock.monotonicMs() + intervalMs
    const untilMs = Math.min(this.#untilMs.get(deviceId) ?? endMs, endMs)
    const isPacing = untilMs > this.#clock.monotonicMs()
    if (isPacing) this.#untilMs.set(deviceId, untilMs)
    else this.#untilMs.delete(deviceId)
    return isPacing
  }

  /**
   * Returns whether the finish time of a message is running. After the wall clock was set back the store may report the
   * whole finish time with each read. The earliest end of all reads counts.
   */
  #isUnfinished(deviceId: string, unfinished: LineState['unfinished']): boolean {
    if (unfinished.length === 0) {
      this.#finishMs.delete(deviceId)
      return false
    }
    const nowMs = this.#clock.monotonicMs()
    const known = this.#finishMs.get(deviceId)
    const endMs = ({ messageId, forMs }: UnfinishedMessage) =>
      Math.min(known?.get(messageId) ?? Number.POSITIVE_INFINITY, nowMs + forMs)
    const ends = new Map(unfinished.map((each) => [each.messageId, endMs(each)]))
    this.#finishMs.set(deviceId, ends)
    return [...ends.values()].some((untilMs) => untilMs > nowMs)
  }
}
