/**
 * The settings of all devices in memory, so that a dispatch and an enqueue look them up without a promise. The events of
 * the store keep them up to date, also when another node made the change. Knows no setting.
 */
import { type DeviceSettings, GENERAL_SETTINGS } from './device-settings.ts'
import type { MessageStore } from './store.ts'

type Listener = (deviceId: string, settings: DeviceSettings) => void

export class DeviceSettingsCache {
  readonly #store: Pick<MessageStore, 'deviceSettings' | 'changeDeviceSettings' | 'watch'>
  readonly #byDevice = new Map<string, DeviceSettings>()
  readonly #listeners = new Set<Listener>()

  constructor(store: Pick<MessageStore, 'deviceSettings' | 'changeDeviceSettings' | 'watch'>) {
    this.#store = store
    store.watch((event) => {
      if (event.is === 'settings') this.#changed(event.deviceId, event.settings)
    })
  }

  /** Reads the settings that are stored. A server calls this once, before the first device connects. */
  async load(): Promise<void> {
    for (const [deviceId, settings] of await this.#store.deviceSettings()) {
      // An event that came meanwhile is newer than what was read.
      if (!this.#byDevice.has(deviceId)) this.#byDevice.set(deviceId, settings)
    }
  }

  of(deviceId: string): DeviceSettings {
    return this.#byDevice.get(deviceId) ?? GENERAL_SETTINGS
  }

  /** Replaces all settings of a device. Any id may have some. Resolves when the change is durable. */
  change(deviceId: string, settings: DeviceSettings): Promise<void> {
    return this.#store.changeDeviceSettings(deviceId, settings)
  }

  /** Calls the listener with each change. Returns a function that ends the subscription. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(deviceId: string, settings: DeviceSettings): void {
    this.#byDevice.set(deviceId, settings)
    for (const listener of this.#listeners) listener(deviceId, settings)
  }
}
