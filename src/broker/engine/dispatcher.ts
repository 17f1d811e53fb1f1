/**
 * Dispatches to the connected devices: keeps a device line for each, and passes it the events of its device. Knows no
 * transport and no rule of timing. A device without a connection costs nothing.
 */

import type { StoreEvent } from '../contract/store.ts'
import { type Clock, systemClock } from '../vocabulary/clock.ts'
import type { AttemptTimer } from './attempt-timer.ts'
import type { Broker } from './broker.ts'
import type { DeafDevices } from './deaf-devices.ts'
import { DeviceLine, type LineOptions } from './device-line.ts'
import type { Hold } from './dispatch-holds.ts'
import type { DispatchPauses } from './dispatch-pauses.ts'
import { type GeneralTiming, generalRules } from './dispatch-rules.ts'
import type { DispatchEvent } from './dispatch-state.ts'

export interface DispatcherOptions extends Omit<LineOptions, 'broker' | 'clock' | 'rules'>, GeneralTiming {
  readonly broker: LineOptions['broker'] &
    Pick<Broker, 'deviceSettings'> & {
      readonly attempts: Pick<AttemptTimer, 'add' | 'isAwaited'>
      readonly pauses: Pick<DispatchPauses, 'forMs' | 'onChange'>
      readonly deaf: Pick<DeafDevices, 'isDeaf' | 'onChange'>
    }
  readonly clock?: Clock
}

/** Holds one {@link DeviceLine} per connected device. */
export class Dispatcher {
  readonly #options: LineOptions & Pick<DispatcherOptions, 'broker'>
  readonly #lines = new Map<string, DeviceLine>()
  readonly #unsubscribe: readonly (() => void)[]

  constructor(options: DispatcherOptions) {
    const { broker, messages, clock = systemClock } = options
    this.#options = { ...options, clock, rules: generalRules(options) }
    broker.attempts.isAwaited = (deviceId, messageId) => this.#lines.get(deviceId)?.awaits(messageId) === true
    const pass = (event: DeviceEvent): void => this.#lines.get(event.deviceId)?.on(event)
    this.#unsubscribe = [
      messages.watch({
        added: ({ deviceId }) => this.#lines.get(deviceId)?.on(ADDED),
        removed: pass,
        unfinished: pass,
      }),
      broker.deviceSettings.onChange((deviceId, settings) => this.#lines.get(deviceId)?.apply(settings)),
      broker.pauses.onChange((deviceId, forMs) => this.#lines.get(deviceId)?.on({ is: 'busy', forMs })),
      broker.deaf.onChange((deviceId, isDeaf) => this.#lines.get(deviceId)?.setDeaf(isDeaf)),
    ]
  }

  /**
   * Adds a connection of a device over a transport, and starts dispatching pending messages. A waiting poll is a
   * connection over `REST`.
   */
  attach(deviceId: string, transport: string): void {
    const line = this.#lines.get(deviceId) ?? this.#newLine(deviceId)
    this.#lines.set(deviceId, line)
    line.connect(transport)
  }

  #newLine(deviceId: string): DeviceLine {
    const { deviceSettings, pauses, deaf } = this.#options.broker
    const line = new DeviceLine(deviceId, this.#options, deviceSettings.of(deviceId), deaf.isDeaf(deviceId))
    const forMs = pauses.forMs(deviceId)
    if (forMs > 0) line.on({ is: 'busy', forMs })
    return line
  }

  /** Removes a connection. If it was the last one, resolves when the store has ended the lease. */
  async detach(deviceId: string, transport: string): Promise<void> {
    const line = this.#lines.get(deviceId)
    if (!line || line.disconnect(transport)) return
    // A device that reconnects meanwhile keeps its line, and thus its pacing interval.
    await line.settled()
    if (line.isConnected || this.#lines.get(deviceId) !== line) return
    this.#lines.delete(deviceId)
    const { broker, clock } = this.#options
    const { flight } = line
    if (flight) broker.attempts.add(deviceId, flight, flight.untilMs - clock.monotonicMs())
    await line.release()
  }

  /** Resolves when the dispatcher has determined whether a message may be dispatched to a device now. */
  async decided(deviceId: string): Promise<void> {
    await this.#lines.get(deviceId)?.decided()
  }

  /** Returns the hold on the dispatch to a device; null if the device has no connection. */
  hold(deviceId: string): Hold | null {
    const line = this.#lines.get(deviceId)
    return line?.isConnected ? line.hold() : null
  }

  /** Stops dispatching. Resolves when the running dispatches are over and the leases are released. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    const lines = [...this.#lines.values()]
    this.#lines.clear()
    for (const line of lines) line.close()
    await Promise.all(lines.map((line) => line.settled().then(() => line.release())))
  }
}

/** Events of the store that a device line takes as they are. */
type DeviceEvent = Extract<StoreEvent, { is: 'removed' | 'unfinished' }>

const ADDED: DispatchEvent = { is: 'added' }
