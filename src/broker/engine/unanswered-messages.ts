/**
 * Tracks the pending messages whose attempts ended without an acknowledgement, over all transports. A restart resets
 * this; the next ended attempt restores the full number.
 */
import type { AttemptState } from '../vocabulary/message.ts'

/** Pending message that its device did not acknowledge in time. */
export interface UnansweredMessage {
  readonly deviceId: string
  readonly messageId: number
  readonly times: number
  /** Start of the first of these attempts known to the process, in milliseconds since 1970. */
  readonly sinceMs: number
  /** Start of the latest of these attempts. */
  readonly lastMs: number
}

interface EndedWithoutAnswer extends Pick<AttemptState, 'counted'> {
  readonly atMs: number
}

/** Holds one message per device: the message whose attempt ended last. */
export class UnansweredMessages {
  readonly #byDevice = new Map<string, UnansweredMessage>()

  /** Records that an attempt ended without an acknowledgement and that another attempt follows. */
  attemptEnded(deviceId: string, messageId: number, { counted, atMs }: EndedWithoutAnswer): void {
    const earlier = this.#byDevice.get(deviceId)
    const sinceMs = earlier?.messageId === messageId ? earlier.sinceMs : atMs
    this.#byDevice.set(deviceId, { deviceId, messageId, times: counted, sinceMs, lastMs: atMs })
  }

  removed(deviceId: string, messageId: number): void {
    if (this.#byDevice.get(deviceId)?.messageId === messageId) this.#byDevice.delete(deviceId)
  }

  /** Returns the message of a device; null without one. */
  of(deviceId: string): UnansweredMessage | null {
    return this.#byDevice.get(deviceId) ?? null
  }

  /** Returns the messages with at least `times` attempts. */
  withAttempts(times: number): UnansweredMessage[] {
    return [...this.#byDevice.values()].filter((each) => each.times >= times)
  }
}
