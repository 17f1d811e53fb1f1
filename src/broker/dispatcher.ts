/**
 * Dispatches to the connected devices: keeps a line for each, and passes it the events of its device. Knows no transport
 * and no rule of timing. A device without a connection costs nothing.
 */
import type { UnansweredMessage } from './alerts.ts'
import type { Broker } from './broker.ts'
import { type Clock, systemClock } from './clock.ts'
import { DeviceLine, type LineOptions } from './device-line.ts'
import { type DispatchEvent, type DispatchRules, type Hold, rulesFor } from './dispatch.ts'
import type { StoreEvent } from './store.ts'

/** Pause after the store refused an attach or a claim, in milliseconds. */
const RETRY_MS = 5_000

export interface DispatcherOptions extends Omit<LineOptions, 'broker' | 'clock'> {
  readonly broker: LineOptions['broker'] & Pick<Broker, 'deviceSettings'>
  /** The pacing interval of a device without an interval of its own, in milliseconds. */
  readonly intervalMs: number
  /** Duration of an attempt, in milliseconds. */
  readonly attemptMs: number
  readonly clock?: Clock
}

/** Holds one {@link DeviceLine} for each connected device. */
export class Dispatcher {
  readonly #options: LineOptions & Pick<DispatcherOptions, 'broker'>
  readonly #rules: DispatchRules
  readonly #lines = new Map<string, DeviceLine>()
  readonly #unsubscribe: readonly (() => void)[]

  constructor(options: DispatcherOptions) {
    const { intervalMs, attemptMs, clock = systemClock } = options
    this.#options = { ...options, clock }
    this.#rules = { intervalMs, attemptMs, retryMs: RETRY_MS }
    this.#unsubscribe = [
      options.messages.watch((event) => this.#observe(event)),
      options.broker.deviceSettings.onChange((deviceId, settings) => {
        this.#lines.get(deviceId)?.apply(rulesFor(settings, this.#rules))
      }),
    ]
  }

  /** Adds a connection of a device over a transport. Pending messages are dispatched from now on. */
  attach(deviceId: string, transport: string): void {
    const line = this.#lines.get(deviceId) ?? this.#newLine(deviceId)
    this.#lines.set(deviceId, line)
    line.connect(transport)
  }

  #newLine(deviceId: string): DeviceLine {
    const settings = this.#options.broker.deviceSettings.of(deviceId)
    return new DeviceLine(deviceId, this.#options, rulesFor(settings, this.#rules))
  }

  /** Removes a connection. If it was the last one, resolves when the store has ended the lease. */
  async detach(deviceId: string): Promise<void> {
    const line = this.#lines.get(deviceId)
    if (!line || line.disconnect()) return
    // A device that reconnects meanwhile keeps its line, and so its pacing interval.
    await line.settled()
    if (line.isConnected || this.#lines.get(deviceId) !== line) return
    this.#lines.delete(deviceId)
    await line.release()
  }

  /** Returns what the dispatch to a device waits for; null when the device has no connection. */
  hold(deviceId: string): Hold | null {
    const line = this.#lines.get(deviceId)
    return line?.isConnected ? line.hold() : null
  }

  /** Returns the messages in flight with at least `times` attempts without an acknowledgement. */
  unanswered(times: number): UnansweredMessage[] {
    const found = [...this.#lines.values()].map(({ unanswered }) => unanswered)
    return found.filter((each) => each !== null).filter((each) => each.times >= times)
  }

  /** Stops dispatching. Resolves when the dispatches that have begun are over and the leases are released. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    for (const line of lines) line.close()
    await Promise.all(lines.map((line) => line.settled().then(() => line.release())))
  }

  #observe(event: StoreEvent): void {
    if (event.is !== 'added' && event.is !== 'removed') return
    const line = this.#lines.get(event.deviceId)
    if (event.is === 'added') line?.on(ADDED)
    else line?.on(event)
  }
}

const ADDED: DispatchEvent = { is: 'added' }
