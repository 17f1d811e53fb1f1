/** Device line of the memory driver: the queue, the lease and the pause of one device. */
import type { Clock } from '../../broker/vocabulary/clock.ts'
import { type End, restMs } from '../end.ts'
import { isDispatchable, openAttempt, type StoredMessage } from './memory-message.ts'

export class MemoryLine {
  /** Time of the latest paced dispatch on the wall clock. */
  dispatchedAtMs: number | null = null
  /** End of the pause that the device asked for. */
  busyUntil: End | null = null
  /** Pending messages by id, the oldest first. */
  #queue = new Map<number, StoredMessage>()
  /** Number of the newest lease. Leases with smaller numbers are lost. */
  #fence = 0
  #transport = ''

  #bytes = 0
  #newestId = 0

  /** Pending messages, the oldest first. */
  get pending(): readonly StoredMessage[] {
    return [...this.#queue.values()]
  }

  get size(): number {
    return this.#queue.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get inFlight(): StoredMessage | null {
    for (const message of this.#queue.values()) if (openAttempt(message)) return message
    return null
  }

  get transport(): string {
    return this.#transport
  }

  /** Returns the oldest message that is due and valid. */
  dispatchable(clock: Clock): StoredMessage | null {
    for (const message of this.#queue.values()) if (isDispatchable(message, clock)) return message
    return null
  }

  /** Returns the time until a delayed message is due; null without one. */
  dueInMs(clock: Clock): number | null {
    const delays = this.pending.map(({ due }) => (due ? restMs(due, clock) : 0)).filter((delay) => delay > 0)
    return delays.length > 0 ? Math.min(...delays) : null
  }

  has(messageId: number): boolean {
    return this.#queue.has(messageId)
  }

  /** Inserts a message in the order of the ids. */
  add(message: StoredMessage): void {
    this.#queue.set(message.id, message)
    this.#bytes += message.bytes
    if (message.id < this.#newestId) this.#queue = new Map([...this.#queue].sort(([a], [b]) => a - b))
    else this.#newestId = message.id
  }

  /** Removes a message. Returns false if it was not pending. */
  remove(messageId: number): boolean {
    this.#bytes -= this.#queue.get(messageId)?.bytes ?? 0
    return this.#queue.delete(messageId)
  }

  /** Returns the number of a new lease. The earlier lease is lost. */
  beginLease(transport: string): number {
    this.#transport = transport
    return ++this.#fence
  }

  endLease(): void {
    this.#fence++
  }

  isHeldBy(fence: number): boolean {
    return this.#fence === fence
  }
}
