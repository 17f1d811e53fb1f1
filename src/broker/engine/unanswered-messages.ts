/**
 * Keeps the pending messages whose attempts ended without an acknowledgement, over all transports. A restart resets it; the
 * next attempt that ends brings the number of all back.
 */
import type { AttemptState } from '../vocabulary/message.ts'

/** A pending message that its device did not acknowledge in time. */
export interface UnansweredMessage {
  readonly deviceId: string
  readonly messageId: number
  /** Number of attempts without an acknowledgement. */
  readonly times: number
  /** Begin of the first of these attempts that the process knows, in milliseconds since 1970. */
  readonly sinceMs: number
  /** Begin of the latest of these attempts. */
  readonly lastMs: number
}

/** An attempt that ended without an acknowledgement. */
interface EndedWithoutAnswer extends Pick<AttemptState, 'counted'> {
  readonly atMs: number
}

/** Holds one message for each device: the one whose attempt ended last. */
export class UnansweredMessages {
  readonly #byDevice = new Map<string, UnansweredMessage>()

  /** Records that an attempt ended without an acknowledgement and that another one follows. */
  attemptEnded(deviceId: string, messageId: number, { counted, atMs }: EndedWithoutAnswer): void {
    const earlier = this.#byDevice.get(deviceId)
    const sinceMs = earlier?.messageId === messageId ? earlier.sinceMs : atMs
    this.#byDevice.set(deviceId, { deviceId, messageId, times: counted, sinceMs, lastMs: atMs })
  }

  /** Removes a message that left its queue. */
  removed(deviceId: string, messageId: number): void {
    if (this.#byDevice.get(deviceId)?.messageId === messageId) this.#byDevice.delete(deviceId)
  }

  /** Returns the message of a device; null when it has none. */
  of(deviceId: string): UnansweredMessage | null {
    return this.#byDevice.get(deviceId) ?? null
  }

  /** Returns the messages with at least `times` attempts. */
  withAttempts(times: number): UnansweredMessage[] {
    return [...this.#byDevice.values()].filter((each) => each.times >= times)
  }
}
