/**
 * Finds the devices that were not seen for longer than `expectedSeconds` allows: their own value, or the general value
 * for devices that were seen before.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { DeviceSettingsCache } from '../engine/device-settings-cache.ts'
import type { DeviceDirectory } from './device-directory.ts'
import type { Presence } from './presence.ts'

export interface SilentDevice {
  readonly deviceId: string
  /** Time at which the device was last seen, or the start of the process. Milliseconds since 1970. */
  readonly sinceMs: number
  readonly expectedSeconds: number
}

export interface SilentDevicesOptions {
  readonly settings: Pick<DeviceSettingsCache, 'of' | 'all'>
  readonly presence: Pick<Presence, 'of'>
  readonly directory: Pick<DeviceDirectory, 'ids'>
  /** Value for devices without their own value; 0: none. */
  readonly expectedSeconds: number
  /** Time at which the process began to record when devices are seen. */
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
    const { settings, directory, expectedSeconds: general } = this.#options
    const found: SilentDevice[] = []
    const addIfSilent = (deviceId: string, expectedSeconds: number, seenMs: number | null): void => {
      const sinceMs = Math.max(seenMs ?? 0, this.#options.startedAtMs)
      if (nowMs - sinceMs >= expectedSeconds * 1000) found.push({ deviceId, sinceMs, expectedSeconds })
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
