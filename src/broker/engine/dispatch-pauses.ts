/**
 * Tracks the pauses of the dispatch to devices, for lines and polls: a pause that the device asked for, and a time out
 * of service that a person set. Of both ends the later one holds. Events of the store keep it up to date.
 */
import type { Log } from '../../process/log.ts'
import type { DeviceService } from '../contract/device-service.ts'
import type { MessageStore } from '../contract/store.ts'
import type { Clock } from '../vocabulary/clock.ts'
import { DutyTimer } from './duty-timer.ts'

export interface DispatchPausesOptions {
  readonly store: Pick<MessageStore, 'watch' | 'busyDevices' | 'devicesOutOfService'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Pick<Log, 'error'>
}

/** Time out of service, and its end on the monotonic clock. */
interface HeldService {
  readonly service: DeviceService
  /** Infinity without an end. */
  readonly untilMs: number
}

/**
 * Period of the reads of the store while a device is out of service, in milliseconds. A read finds the end of a service
 * whose date came early, because the wall clock was set forward.
 */
const READ_MS = 60_000
/** Time after the end of a service in which the signals of the device are not judged, in milliseconds. */
export const SETTLING_MS = 300_000

export class DispatchPauses {
  readonly #options: DispatchPausesOptions
  /** End of the pause on the monotonic clock, by device. An expired pause stays until the next access. */
  readonly #busyUntilMs = new Map<string, number>()
  readonly #services = new Map<string, HeldService>()
  /** End of the time in which signals are not judged, on the monotonic clock, by device in service. */
  readonly #settlingUntilMs = new Map<string, number>()
  readonly #listeners = new Set<(deviceId: string, forMs: number) => void>()
  readonly #reads: DutyTimer
  /** Devices whose pause, or whose service, changed since a read of the store began; null without a read. */
  #changedPauses: Set<string> | null = null
  #changedServices: Set<string> | null = null

  constructor(options: DispatchPausesOptions) {
    this.#options = options
    const { store, clock, log } = options
    this.#reads = new DutyTimer({
      clock,
      run: () => this.#readServices(),
      onFailure: (err) => log.error({ err }, 'the devices out of service could not be read'),
    })
    store.watch({
      busy: ({ deviceId, forMs }) => {
        this.#changedPauses?.add(deviceId)
        this.#busyUntilMs.set(deviceId, clock.monotonicMs() + forMs)
        this.#report(deviceId)
      },
      service: ({ deviceId, service }) => {
        this.#changedServices?.add(deviceId)
        this.#put(deviceId, service)
        this.#scheduleRead()
      },
    })
  }

  /** Reads the stored pauses. A server calls this once, before the first device connects. */
  async load(): Promise<void> {
    const { store, clock } = this.#options
    const changed = new Set<string>()
    this.#changedPauses = changed
    for (const [deviceId, forMs] of await store.busyDevices()) {
      // An event that arrived during the read is newer than the read.
      if (!changed.has(deviceId)) this.#busyUntilMs.set(deviceId, clock.monotonicMs() + forMs)
    }
    this.#changedPauses = null
    await this.#readServices()
    this.#scheduleRead()
  }

  close(): Promise<void> {
    return this.#reads.close()
  }

  /** Returns the remaining pause of a device in milliseconds; 0 without one, Infinity without an end. */
  forMs(deviceId: string): number {
    return Math.max(this.busyForMs(deviceId), this.#serviceForMs(deviceId))
  }

  /** Returns the rest of the pause that the device asked for, in milliseconds; 0 if it is not busy. */
  busyForMs(deviceId: string): number {
    const untilMs = this.#busyUntilMs.get(deviceId)
    if (untilMs === undefined) return 0
    const forMs = untilMs - this.#options.clock.monotonicMs()
    if (forMs > 0) return forMs
    this.#busyUntilMs.delete(deviceId)
    return 0
  }

  /** Returns the devices that asked for a pause. */
  busyDevices(): string[] {
    return [...this.#busyUntilMs.keys()].filter((deviceId) => this.busyForMs(deviceId) > 0)
  }

  /** Returns the time out of service of a device; null if the device is in service. */
  serviceOf(deviceId: string): DeviceService | null {
    return this.#serviceForMs(deviceId) > 0 ? (this.#services.get(deviceId)?.service ?? null) : null
  }

  devicesOutOfService(): string[] {
    return [...this.#services.keys()].filter((deviceId) => this.#serviceForMs(deviceId) > 0)
  }

  /** Returns the devices without signals: those out of service, and those whose service ended minutes ago. */
  devicesWithoutSignals(): ReadonlySet<string> {
    const nowMs = this.#options.clock.monotonicMs()
    for (const [deviceId, untilMs] of this.#settlingUntilMs)
      if (untilMs <= nowMs) this.#settlingUntilMs.delete(deviceId)
    return new Set([...this.devicesOutOfService(), ...this.#settlingUntilMs.keys()])
  }

  /**
   * Calls the listener with each device whose pause began, changed or ended, and with the rest of the pause. Returns a
   * function that unsubscribes. The date of an end may come without a call; the rest tells it.
   */
  onChange(listener: (deviceId: string, forMs: number) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #serviceForMs(deviceId: string): number {
    const held = this.#services.get(deviceId)
    if (held === undefined) return 0
    const { clock } = this.#options
    const forMs = held.untilMs - clock.monotonicMs()
    if (forMs > 0) return forMs
    this.#services.delete(deviceId)
    this.#settlingUntilMs.set(deviceId, held.untilMs + SETTLING_MS)
    return 0
  }

  #put(deviceId: string, service: DeviceService | null): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (service !== null) {
      const untilMs = service.forMs === null ? Number.POSITIVE_INFINITY : nowMs + service.forMs
      this.#services.set(deviceId, { service, untilMs })
      this.#settlingUntilMs.delete(deviceId)
    } else if (this.#services.delete(deviceId)) this.#settlingUntilMs.set(deviceId, nowMs + SETTLING_MS)
    this.#report(deviceId)
  }

  #report(deviceId: string): void {
    const forMs = this.forMs(deviceId)
    for (const listener of this.#listeners) listener(deviceId, forMs)
  }

  #scheduleRead(): void {
    if (this.#services.size > 0) this.#reads.wakeIn(READ_MS)
  }

  /** Reads the services again. An event that arrives during the read is newer than the read. */
  async #readServices(): Promise<number> {
    const changed = new Set<string>()
    this.#changedServices = changed
    const services = await this.#options.store.devicesOutOfService()
    const known = [...this.#services.keys()].filter((deviceId) => !services.has(deviceId))
    for (const deviceId of known) if (!changed.has(deviceId)) this.#put(deviceId, null)
    for (const [deviceId, service] of services) if (!changed.has(deviceId)) this.#put(deviceId, service)
    this.#changedServices = null
    return this.#services.size > 0 ? READ_MS : Number.POSITIVE_INFINITY
  }
}
