/**
 * Finds the devices that were not seen for longer than `expectedSeconds` allows: their own value, or the general value
 * for devices that were seen before.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { DeviceSettingsCache } from '../engine/device-settings-cache.ts'
import type { DeviceDirectory } from './device-directory.ts'
import type { Downtime } from './downtime.ts'
import type { Presence } from './presence.ts'

export interface SilentDevice {
  readonly deviceId: string
  /** Time at which the device was last seen; the start of the process if it was never seen. Milliseconds since 1970. */
  readonly sinceMs: number
  readonly expectedSeconds: number
}

export interface SilentDevicesOptions {
  readonly settings: Pick<DeviceSettingsCache, 'of' | 'all'>
  readonly presence: Pick<Presence, 'of'>
  readonly directory: Pick<DeviceDirectory, 'ids'>
  /** Value for devices without their own value; 0: none. */
  readonly expectedSeconds: number
  /** Times in which no server ran. They do not count as silence. */
  readonly downtime: Pick<Downtime, 'msSince'>
  /** Time since which a device that was never seen is missing: the start of the process. */
  readonly startedAtMs: number
}

/** Devices processed between two turns of the event loop. */
const STEP = 4_000

export class SilentDevices {
  readonly #options: SilentDevicesOptions

  constructor(options: SilentDevicesOptions) {
    this.#options = options
  }

  /** Returns the silent devices, the longest overdue first. */
  async at(nowMs: number): Promise<SilentDevice[]> {
    const { settings, directory, downtime, startedAtMs, expectedSeconds: general } = this.#options
    const found: SilentDevice[] = []
    const addIfSilent = (deviceId: string, expectedSeconds: number, seenMs: number | null): void => {
      const sinceMs = seenMs ?? startedAtMs
      const overdueMs = nowMs - sinceMs - expectedSeconds * 1000
      // Only an overdue device needs the time without a server.
      if (overdueMs >= 0 && overdueMs >= downtime.msSince(sinceMs))
        found.push({ deviceId, sinceMs, expectedSeconds })
    }
    for (const [deviceId, { expectedSeconds }] of settings.all())
      if (expectedSeconds !== null && expectedSeconds > 0)
        addIfSilent(deviceId, expectedSeconds, this.#seenMs(deviceId))
    const ids = general === 0 ? [] : await directory.ids()
    for (const [i, deviceId] of ids.entries()) {
      if (i % STEP === STEP - 1) await turn()
      const seenMs = this.#seenMs(deviceId)
      // A device that was never seen has no time since which it is missing.
      if (seenMs !== null && settings.of(deviceId).expectedSeconds === null)
        addIfSilent(deviceId, general, seenMs)
    }
    return found.sort((a, b) => dueMs(a) - dueMs(b))
  }

  #seenMs(deviceId: string): number | null {
    return this.#options.presence.of(deviceId).atMs
  }
}

function dueMs({ sinceMs, expectedSeconds }: SilentDevice): number {
  return sinceMs + expectedSeconds * 1000
}
