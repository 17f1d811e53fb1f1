/** Finds the devices that were not seen for longer than their setting `expectedSeconds` allows. */
import type { DeviceSettingsCache } from '../engine/device-settings-cache.ts'
import type { Presence } from './presence.ts'

export interface SilentDevice {
  readonly deviceId: string
  /** Time at which the device was last seen, or the start of the process. Milliseconds since 1970. */
  readonly sinceMs: number
  readonly expectedSeconds: number
}

export interface SilentDevicesSources {
  readonly settings: Pick<DeviceSettingsCache, 'all'>
  readonly presence: Pick<Presence, 'of'>
  /** Time at which the process began to record when devices are seen. */
  readonly startedAtMs: number
  readonly nowMs: number
}

/** Returns the silent devices, the longest overdue first. */
export function silentDevices({
  settings,
  presence,
  startedAtMs,
  nowMs,
}: SilentDevicesSources): SilentDevice[] {
  const found: SilentDevice[] = []
  for (const [deviceId, { expectedSeconds }] of settings.all()) {
    if (expectedSeconds === null) continue
    const sinceMs = Math.max(presence.of(deviceId).atMs ?? startedAtMs, startedAtMs)
    if (nowMs - sinceMs >= expectedSeconds * 1000) found.push({ deviceId, sinceMs, expectedSeconds })
  }
  return found.sort((a, b) => dueMs(a) - dueMs(b))
}

function dueMs({ sinceMs, expectedSeconds }: SilentDevice): number {
  return sinceMs + expectedSeconds * 1000
}
