/**
 * Tracks deaf devices. A device is deaf if several of its messages were parked in a row and it acknowledged nothing
 * meanwhile. A restart resets this.
 */

import type { StoreEvent } from '../contract/store.ts'
import { DEAF_PARKS } from '../vocabulary/attempts.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'

export interface DeafDevice {
  readonly deviceId: string
  /** Time of the park that made the device deaf, in milliseconds since 1970. */
  readonly sinceMs: number
}

type Listener = (deviceId: string, isDeaf: boolean) => void

export class DeafDevices {
  readonly #clock: Pick<Clock, 'wallMs'>
  /** Messages parked since the latest acknowledgement, by device, in order. */
  readonly #parks = new Map<string, number[]>()
  readonly #deaf = new Map<string, DeafDevice>()
  readonly #listeners = new Set<Listener>()

  constructor(clock: Pick<Clock, 'wallMs'> = systemClock) {
    this.#clock = clock
  }

  /**
   * Counts a parked message. Not for a message with its own limit of attempts. Returns true if the device becomes deaf.
   */
  parked(deviceId: string, messageId: number): boolean {
    if (this.#deaf.has(deviceId)) return false
    const parks = [...(this.#parks.get(deviceId) ?? []), messageId]
    this.#parks.set(deviceId, parks)
    if (parks.length < DEAF_PARKS) return false
    this.#parks.delete(deviceId)
    this.#deaf.set(deviceId, { deviceId, sinceMs: this.#clock.wallMs() })
    this.#notify(deviceId, true)
    return true
  }

  /** Returns the time for which the device was deaf, in milliseconds; null if it was not. */
  acknowledged(deviceId: string): number | null {
    this.#parks.delete(deviceId)
    const deaf = this.#deaf.get(deviceId)
    if (deaf === undefined) return null
    this.#deaf.delete(deviceId)
    this.#notify(deviceId, false)
    return Math.max(0, this.#clock.wallMs() - deaf.sinceMs)
  }

  /** Applies a change by another node. The event may be a repetition. */
  observe({ transition, hasOwnLimit }: Extract<StoreEvent, { is: 'transitioned' }>): void {
    const { deviceId, messageId, cause } = transition
    const isNew = !this.#parks.get(deviceId)?.includes(messageId)
    if (cause === 'ACKNOWLEDGED' || cause === 'LATE') this.acknowledged(deviceId)
    else if (cause === 'NOT_ACKNOWLEDGED' && isNew && !hasOwnLimit) this.parked(deviceId, messageId)
  }

  isDeaf(deviceId: string): boolean {
    return this.#deaf.has(deviceId)
  }

  /** Returns the deaf devices, in the order in which they became deaf. */
  all(): readonly DeafDevice[] {
    return [...this.#deaf.values()]
  }

  /** Calls the listener when a device becomes deaf or acknowledges again. Returns a function that unsubscribes. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #notify(deviceId: string, isDeaf: boolean): void {
    for (const listener of this.#listeners) listener(deviceId, isDeaf)
  }
}
