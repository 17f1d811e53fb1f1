/**
 * Caches the settings of all devices in memory, so that a dispatch looks them up without a promise. Events of the store
 * keep the cache up to date, also when another node changes a setting. Knows no setting.
 */
import type { AuditEntry } from '../../audit/audit.ts'
import type { MessageStore } from '../contract/store.ts'
import { type DeviceSettings, GENERAL_SETTINGS } from '../vocabulary/device-settings.ts'

type Listener = (deviceId: string, settings: DeviceSettings) => void

export class DeviceSettingsCache {
  readonly #store: Pick<MessageStore, 'deviceSettings' | 'changeDeviceSettings' | 'watch'>
  readonly #byDevice = new Map<string, DeviceSettings>()
  readonly #listeners = new Set<Listener>()

  constructor(store: Pick<MessageStore, 'deviceSettings' | 'changeDeviceSettings' | 'watch'>) {
    this.#store = store
    store.watch({ settings: ({ deviceId, settings }) => this.#changed(deviceId, settings) })
  }

  /** Reads the stored settings. A server calls this once, before the first device connects. */
  async load(): Promise<void> {
    for (const [deviceId, settings] of await this.#store.deviceSettings()) {
      // An event that arrived during the read has newer settings than the read.
      if (!this.#byDevice.has(deviceId)) this.#byDevice.set(deviceId, settings)
    }
  }

  /** Returns the settings of a device; {@link GENERAL_SETTINGS} if it has none of its own. */
  of(deviceId: string): DeviceSettings {
    return this.#byDevice.get(deviceId) ?? GENERAL_SETTINGS
  }

  /** Yields each device that has, or had, its own settings, with them. */
  all(): Iterable<readonly [deviceId: string, settings: DeviceSettings]> {
    return this.#byDevice
  }

  /** Replaces all settings of a device. The device need not be known. Resolves when the change is durable. */
  change(deviceId: string, settings: DeviceSettings, audit: AuditEntry | null = null): Promise<void> {
    return this.#store.changeDeviceSettings(deviceId, settings, audit)
  }

  /** Calls the listener with each change. Returns a function that unsubscribes. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(deviceId: string, settings: DeviceSettings): void {
    this.#byDevice.set(deviceId, settings)
    for (const listener of this.#listeners) listener(deviceId, settings)
  }
}
