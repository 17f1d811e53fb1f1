/**
 * Dispatches to the devices that are connected: keeps a line for each, and gives it the events of its device. Knows no
 * transport and no rule of timing. A device without a connection costs nothing.
 */
import type { Unanswered } from './attention.ts'
import { type Clock, systemClock } from './clock.ts'
import { DeviceLine, type LineOptions } from './device-line.ts'
import type { DispatchEvent, Hold } from './dispatch.ts'
import type { StoreEvent } from './store.ts'

/** Pause after the store refused something, in milliseconds. */
const RETRY_MS = 5_000

export interface DispatcherOptions extends Omit<LineOptions, 'rules' | 'clock'> {
  /** The pacing interval: least time between two dispatches to one device. */
  readonly intervalMs: number
  /** Duration of an attempt. */
  readonly attemptMs: number
  readonly clock?: Clock
}

export class Dispatcher {
  readonly #options: LineOptions
  readonly #lines = new Map<string, DeviceLine>()
  readonly #unsubscribe: () => void

  constructor(options: DispatcherOptions) {
    const { intervalMs, attemptMs, clock = systemClock } = options
    this.#options = { ...options, clock, rules: { intervalMs, attemptMs, retryMs: RETRY_MS } }
    this.#unsubscribe = options.messages.watch((event) => this.#observe(event))
  }

  /** Notes one more connection of a device, over a transport. Pending messages are dispatched from now on. */
  attach(deviceId: string, transport: string): void {
    const line = this.#lines.get(deviceId) ?? new DeviceLine(deviceId, this.#options)
    this.#lines.set(deviceId, line)
    line.connect(transport)
  }

  /** Notes one connection less. Resolves when the store knows that the device is gone, if it is. */
  async detach(deviceId: string): Promise<void> {
    const line = this.#lines.get(deviceId)
    if (!line || line.disconnect()) return
    // A device that comes back meanwhile keeps its line, and so its interval.
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

  /** Returns the messages in flight whose acknowledgement has failed to come at least `times` times. */
  unanswered(times: number): Unanswered[] {
    const found = [...this.#lines.values()].map(({ unanswered }) => unanswered)
    return found.filter((each) => each !== null).filter((each) => each.times >= times)
  }

  /** Stops dispatching. Resolves when no dispatch is on its way. */
  async close(): Promise<void> {
    this.#unsubscribe()
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    for (const line of lines) line.close()
    await Promise.all(lines.map((line) => line.settled().then(() => line.release())))
  }

  #observe(event: StoreEvent): void {
    if (event.is === 'transitioned') return
    const line = this.#lines.get(event.deviceId)
    if (event.is === 'added') line?.on(ADDED)
    else line?.on(event)
  }
}

const ADDED: DispatchEvent = { is: 'added' }
